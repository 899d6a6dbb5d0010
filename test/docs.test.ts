/*
 * Keeps README and docs true. Comments above a fenced block say what it is:
 *   <!-- run -->, <!-- run: 2, needs: jq -->   run it with the built CLI on the PATH; exit code 0 or the one given
 *   <!-- file: NAME -->                        write it into the scratch folder of its page first
 *   <!-- prints -->                            its lines are in what the block before printed; times do not count
 *   <!-- prints: quickstart -->, <!-- report: quickstart -->   the same for the quickstart and its report
 *   <!-- from: PATH -->                        it stands in this file, word for word
 *   <!-- bad -->                               a configuration that must be refused
 */
import { execFile } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mcpActions } from "../src/commands/mcp/actions.ts"
import { applyOptions, initOptions, runOptions } from "../src/commands/options.ts"
import { policyActions } from "../src/commands/policy/actions.ts"
import { readCases } from "../src/commands/policy/case-file.ts"
import { configKeys } from "../src/config/keys.ts"
import { loadConfig } from "../src/config/load.ts"
import { parseScript } from "../src/model/script-schema.ts"
import { createPolicy } from "../src/permissions/policy.ts"
import { type DocBlock, type DocPage, readPage } from "./support/doc-page.ts"

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "")
const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
const pages = ["README.md", "CHANGELOG.md", ...docs.map((name) => `docs/${name}`)].map((path) => readPage(root, path))
const blocks = pages.flatMap((page) => page.blocks.map((block) => ({ page, block, at: `${page.path}:${block.line}` })))

let scratch = ""

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "agent-run-docs-"))
  for (const folder of ["bin", "home"]) mkdirSync(join(scratch, folder))
  const cli = join(root, "dist", "cli.js")
  if (!existsSync(cli)) throw new Error("dist/ is missing: npm run build")
  symlinkSync(cli, join(scratch, "bin", "agent-run"))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

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

  it.each(blocks.filter(({ block }) => /^(?:ba)?sh$/.test(block.language)))(
    "the shell at $at parses",
    async ({ block }) => {
      expect(await bash(`bash -n <<'END_OF_EXAMPLE'\n${block.text}END_OF_EXAMPLE\n`, scratch)).toEqual({
        exitCode: 0,
        output: "",
      })
    },
  )

  it.each(pages.filter((page) => page.blocks.some(({ notes }) => notes.has("run"))))(
    "the examples of $path do what it says",
    async (page) => {
      const folder = mkdtempSync(join(scratch, "page-"))
      let output = ""
      for (const block of page.blocks) {
        const file = block.notes.get("file")
        if (file !== undefined) writeInto(folder, file, block.text)
        if (block.notes.has("run")) output = await runExample(page, block, folder)
        if (block.notes.get("prints") === "" && output !== "") expectShown(block, output)
      }
    },
  )

  it("the README shows what the quickstart prints and reports", async () => {
    const folder = mkdtempSync(join(scratch, "quickstart-"))
    const example = "examples/quickstart"
    cpSync(join(root, example, "workspace"), join(folder, "workspace"), { recursive: true })
    const files = `--script ${example}/script.toml --config ${example}/agent.toml`
    const places = `--workspace '${folder}/workspace' --out-dir '${folder}/out'`
    const servers = join(root, "node_modules", "@modelcontextprotocol")
    const { exitCode, output } = await bash(`MCP_SERVERS='${servers}' agent-run --task Notes ${files} ${places}`, root)
    expect(exitCode, output).toBe(0)
    const report = JSON.parse(readFileSync(join(folder, "out", "report.json"), "utf8"))
    for (const { block } of blocks) {
      if (block.notes.get("prints") === "quickstart") expectShown(block, output)
      if (block.notes.get("report") === "quickstart") expect(report).toMatchObject(parseJsonc(block.text))
    }
  })

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

describe("the examples", () => {
  it("agent.toml.example passes config check as it is", async () => {
    const folder = mkdtempSync(join(scratch, "example-"))
    cpSync(join(root, "agent.toml.example"), join(folder, "agent.toml"))
    await checkConfig(readFileSync(join(folder, "agent.toml"), "utf8"), "agent.toml")
    const { exitCode, output } = await bash("agent-run config check", folder)
    expect({ exitCode, first: output.split("\n")[0] }).toEqual({ exitCode: 0, first: "ok  agent.toml" })
  })

  it("the embedding example runs a tool of its own and gets the report", async () => {
    const { exitCode, output } = await bash(`'${process.execPath}' '${root}/examples/embed/embed.mjs'`, scratch)
    expect({ exitCode, output }).toEqual({
      exitCode: 0,
      output: "read_ticket: output\ncompleted: SHOP-7 is about rounding.\n",
    })
  })

  it.each([
    { args: "", exitCode: 0, says: "done: 1 FIXME, listed in FIXMES.md." },
    { args: "--max-turns 1", exitCode: 4, says: "stopped at a limit" },
    { args: "--set permissions.on_denied=fail --deny Write", exitCode: 7, says: "ended, but not as it should" },
    { args: "--no-such-option", exitCode: 2, says: "the step itself is wrong" },
  ])("C1 the example script tells how its run ended: $exitCode", async ({ args, exitCode, says }) => {
    const folder = mkdtempSync(join(scratch, "script-"))
    writeInto(
      folder,
      "src/cart.js",
      "export const total = (items) =>\n  // FIXME round before adding up\n  sum(items)\n",
    )
    const run = await bash(`'${root}/examples/ci-script/check.sh' ${args}`, folder)
    expect(run.output).toContain(says)
    expect(run.exitCode).toBe(exitCode)
    expect(existsSync(join(folder, "FIXMES.md"))).toBe(exitCode === 0)
  })
})

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
  const folder = mkdtempSync(join(scratch, "config-"))
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

async function runExample(page: DocPage, block: DocBlock, folder: string): Promise<string> {
  const needs = block.notes.get("needs")
  if (needs !== undefined && (await bash(`command -v ${needs}`, folder)).exitCode !== 0) return ""
  const { exitCode, output } = await bash(block.text, folder)
  expect(exitCode, `${page.path}:${block.line}\n${output}`).toBe(Number(block.notes.get("run") || "0"))
  return output
}

function expectShown({ text }: DocBlock, output: string): void {
  const printed = withoutTimes(output).split("\n")
  for (const line of withoutTimes(text).trimEnd().split("\n")) {
    if (line !== "…") expect(printed).toContain(line)
  }
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d+(?:\.\d+)? m?s\b/g, "0 ms")
}

function parseJsonc(text: string): object {
  return JSON.parse(text.replaceAll(/(^|\s)\/\/.*$/gm, ""))
}

function writeInto(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** Run shell text as a pipeline does: no terminal, no stdin, no credentials; both streams in one. */
function bash(text: string, cwd: string): Promise<{ readonly exitCode: number; readonly output: string }> {
  const env = { PATH: `${join(scratch, "bin")}:${process.env.PATH}`, HOME: join(scratch, "home"), LANG: "C.UTF-8" }
  return new Promise((resolve) => {
    const child = execFile("bash", ["-eo", "pipefail", "-c", `exec 2>&1\n${text}`], { cwd, env }, (error, stdout) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout })
    })
    child.stdin?.end()
  })
}
