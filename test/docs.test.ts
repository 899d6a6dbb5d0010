/*
 * Keeps README and docs true. Comments above a fenced block say what it is:
 *   <!-- run -->, <!-- run: 2, needs: jq -->   run it with the built CLI on the PATH; exit code 0 or the one given
 *   <!-- run, stage: NAME -->                  what it finds around it is prepared by test/support/doc-stages.ts
 *   <!-- file: NAME -->                        write it into the scratch folder of its page first
 *   <!-- prints -->                            its lines are in what the block before printed; times do not count
 *   <!-- prints: quickstart -->, <!-- report: quickstart -->   the same for the quickstart and its report
 *   <!-- from: PATH -->                        it stands in this file, word for word
 *   <!-- bad -->                               a configuration that must be refused
 *   <!-- not run: REASON -->                   shell that no test can run, for one of the reasons below
 * Shell without one of these fails a test here; test/docs-examples.test.ts runs what is to be run.
 */
import { generateKeyPairSync } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { batchOptions, mergeOptions } from "../src/commands/batch-options.ts"
import { mcpActions } from "../src/commands/mcp/actions.ts"
import { applyOptions, initOptions, runOptions } from "../src/commands/options.ts"
import { policyActions } from "../src/commands/policy/actions.ts"
import { readCases } from "../src/commands/policy/case-file.ts"
import { configKeys } from "../src/config/keys.ts"
import { loadConfig } from "../src/config/load.ts"
import { readText } from "../src/config/text/read-text.ts"
import { parseScript } from "../src/model/script-schema.ts"
import { createPolicy } from "../src/permissions/policy.ts"
import { readTasks } from "../src/run/batch/read-tasks.ts"
import { type DocBlock, type DocPage, parsePage, readPage } from "./support/doc-page.ts"
import { openDocShell, root, writeInto } from "./support/doc-shell.ts"

const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
const pages = ["README.md", "CHANGELOG.md", ...docs.map((name) => `docs/${name}`)].map((path) => readPage(root, path))
const blocks = pages.flatMap((page) => page.blocks.map((block) => ({ page, block, at: `${page.path}:${block.line}` })))

const shell = openDocShell()
const scratch = shell.folder("static")
afterAll(shell.close)

/** Why a block of shell is not run: the closed list, with what every line of such a block must be. */
const reasons: Readonly<Record<string, RegExp>> = {
  "installs from the registry": /^npm (?:ci|install)\b/,
}

/** Files that tests run as a whole. */
const runFiles = ["examples/ci-script/check.sh", "examples/ci/.gitlab-ci.yml"]

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor

/** The variables that examples use. */
const exampleVariables = {
  DOCS_TOKEN: "a",
  METRICS_KEY: "b",
  GITHUB_PAT: "c",
  TRACKER_SECRET: "d",
  VAULT_KEY: generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://github.example.com/token",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "e",
}

describe("the documentation", () => {
  it.each(pages)("$path links only to what exists", ({ path, prose }) => {
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    const broken = links.filter(([, target = "", anchor]) => {
      const file = target === "" ? path : normalize(join(dirname(path), target))
      if (!existsSync(join(root, file))) return true
      return anchor !== undefined && !readPage(root, file).headings.includes(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it.each(pages)("$path names only options that exist", (page) => {
    const ofActions = [...Object.values(mcpActions), ...Object.values(policyActions)].flatMap(({ options }) =>
      Object.keys(options),
    )
    const known = new Set([
      ...Object.keys(runOptions),
      ...Object.keys(applyOptions),
      ...Object.keys(initOptions),
      ...Object.keys(batchOptions),
      ...Object.keys(mergeOptions),
      ...ofActions,
      "json",
      "help",
      "version",
    ])
    expect(optionsNamedIn(page).filter((name) => !known.has(name))).toEqual([])
  })

  it.each(pages)("$path names only configuration keys that exist", ({ path, prose }) => {
    if (path.endsWith("behaviours.md")) return
    const keys = [...configKeys()].map(({ key }) => `${key}.`)
    const spans =
      /`((?:(?:agent|mcp|security|permissions|expect|output)\.[a-z_.]+|tools\.(?:b|max)[a-z_.]+)(?<!toml|lock))`/g
    const named = [...prose.matchAll(spans)].map(([, key = ""]) => key)
    expect(named.filter((name) => !keys.some((key) => key.startsWith(`${name}.`)))).toEqual([])
  })

  it.each(blocks.filter(({ block }) => block.language === "toml"))("the TOML at $at is right", async ({ block }) => {
    if (/^(\[\[turns\]\]|model = "rehearsal")/m.test(block.text)) {
      expect(parseScript(block.text, "script.toml").turns).not.toEqual([])
      return
    }
    if (/^\[\[cases\]\]/m.test(block.text)) {
      writeFileSync(join(scratch, "cases.toml"), block.text)
      expect(await readCases(join(scratch, "cases.toml"))).not.toEqual([])
      return
    }
    if (/^\[\[tasks\]\]/m.test(block.text)) {
      writeFileSync(join(scratch, "tasks.toml"), block.text)
      expect((await readTasks("tasks.toml", { cwd: scratch, read: readText })).tasks).not.toEqual([])
      return
    }
    if (block.notes.has("bad")) await expect(checkConfig(block.text, "bad.toml")).rejects.toThrow()
    else await checkConfig(block.text, "agent.toml")
  })

  it.each(blocks.filter(({ block }) => block.language === "json"))("the JSON at $at is read", async ({ block }) => {
    const { servers, disabledServers } = await checkConfig(block.text, "mcp.json")
    expect([...servers, ...disabledServers]).toHaveLength(1)
  })

  it.each(blocks.filter(({ block }) => block.notes.has("from")))("the excerpt at $at is from its file", ({ block }) => {
    expect(readFileSync(join(root, block.notes.get("from") ?? ""), "utf8")).toContain(block.text)
  })

  it.each(blocks.filter(({ block }) => isShell(block)))("the shell at $at parses", async ({ block }) => {
    const check = `bash -n <<'END_OF_EXAMPLE'\n${block.text}END_OF_EXAMPLE\n`
    expect(await shell.bash(check, scratch)).toEqual({ exitCode: 0, output: "" })
  })

  it("says of every block what it is, and runs all shell but what no test can run", () => {
    const known = ["toml", "bash", "sh", "json", "jsonc", "yaml", "js", "text", "markdown", "make"]
    expect(blocks.filter(({ block }) => !known.includes(block.language)).map(({ at }) => at)).toEqual([])
    const shells = blocks.filter(({ block }) => isShell(block))
    expect(shells.filter(({ page, block }) => !isSettled(page, block)).map(({ at }) => at)).toEqual([])
    expect(shells.filter(({ block }) => block.notes.has("run")).length).toBeGreaterThan(40)
  })

  it.each([
    ["", "agent-run config check", false],
    ["<!-- run -->\n", "agent-run config check", true],
    ["<!-- from: examples/ci-script/check.sh -->\n", "x", true],
    ["<!-- from: examples/ci-script/task.md -->\n", "x", false],
    ["<!-- file: x.sh -->\n", "x", false],
    ["<!-- not run: installs from the registry -->\n", "npm ci", true],
    ["<!-- not run: installs from the registry -->\n", "npm ci\nagent-run config check", false],
    ["<!-- not run: it takes long -->\n", "npm ci", false],
  ])("a block of shell is settled or not: %j %j", (notes, text, settled) => {
    const page = parsePage("x.md", `${notes}\`\`\`bash\n${text}\n\`\`\`\n`)
    expect(page.blocks.map((block) => isSettled(page, block))).toEqual([settled])
  })

  it.each(blocks.filter(({ block }) => ["yaml", "jsonc", "js"].includes(block.language)))(
    "the $block.language at $at parses",
    ({ block }) => {
      if (block.language === "yaml") expect(parse(block.text)).toBeTypeOf("object")
      else if (block.language === "jsonc") expect(parseJsonc(block.text)).toBeTypeOf("object")
      else expect(new AsyncFunction(block.text)).toBeTypeOf("function")
    },
  )

  it("S2.15 says where the trust boundary of MCP servers is", () => {
    for (const path of ["docs/mcp.md", "docs/security.md"]) {
      const text = readFileSync(join(root, path), "utf8")
      expect(text).toMatch(/trust boundary/i)
      expect(text).toMatch(/runs? with the (user's permissions|permissions of the user)/)
      expect(text).toContain("the same as running a shell command")
    }
  })

  it("T2 says that sanitising an input is no boundary", () => {
    const page = readFileSync(join(root, "docs", "security.md"), "utf8")
    expect(page.split("## Text from strangers")[1]).toMatch(/`--input`[\s\S]*It is no\s+boundary/)
  })

  it("T23 says that limiting outgoing traffic is the runner's job, and shows how", () => {
    const page = readPage(root, "docs/security.md")
    expect(page.headings).toContain("limiting-outgoing-traffic-is-the-runners-job")
    const recipe = page.blocks.map(({ text }) => text).join("\n")
    for (const part of ["internal: true", "HTTPS_PROXY", "http_access deny all"]) expect(recipe).toContain(part)
  })
})

function isShell({ language }: DocBlock): boolean {
  return ["bash", "sh"].includes(language)
}

/** Is it run, by itself or as a file, or is there a reason why not? */
function isSettled(page: DocPage, { notes, text }: DocBlock): boolean {
  const file = notes.get("file")
  if (notes.has("run") || runFiles.includes(notes.get("from") ?? "")) return true
  if (file !== undefined) return page.blocks.some((block) => block.text.includes(file))
  const reason = reasons[notes.get("not run") ?? ""]
  return (
    reason?.test(text) === true &&
    text
      .trimEnd()
      .split("\n")
      .every((line) => reason.test(line))
  )
}

/** Options of ours: in code spans that are one or a command line of ours, and in our command lines of fenced blocks. */
function optionsNamedIn({ path, prose, blocks }: DocPage): readonly string[] {
  if (path.endsWith("behaviours.md")) return []
  const spans = (prose.match(/`(?:--|agent-run )[^`]*`/g) ?? []).join("\n")
  const lines = blocks.flatMap(
    ({ text }) => text.replaceAll("\\\n", " ").match(/agent-run (?:-|run|config|mcp)[^|;)\n]*/g) ?? [],
  )
  return [spans, ...lines].flatMap((text) =>
    [...text.matchAll(/(?<=^|[\s`'"])--([a-z][a-z-]+)/gm)].map(([, name = ""]) => name),
  )
}

async function checkConfig(text: string, name: string) {
  const folder = shell.folder("config")
  writeInto(folder, name, text)
  const { config } = await loadConfig({
    workspace: folder,
    cwd: folder,
    env: exampleVariables,
    configFiles: [name],
    bare: true,
    broad: false,
    ...{ set: [], allow: [], deny: [], mcpServers: [], only: [], without: [], flags: {} },
  })
  createPolicy(config.permissions)
  return config
}

function parseJsonc(text: string): unknown {
  return JSON.parse(text.replaceAll(/(^|\s)\/\/.*$/gm, ""))
}
