import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { createLimiter } from "../src/util/limiter.ts"
import { type DocBlock, type DocPage, readPage } from "./support/doc-page.ts"
import { openDocShell, root, writeInto } from "./support/doc-shell.ts"
import { type Surroundings, stages } from "./support/doc-stages.ts"

const shell = openDocShell()
afterAll(shell.close)

const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
const pages = ["README.md", ...docs.map((name) => `docs/${name}`)].map((path) => readPage(root, path))
const twoAtOnce = createLimiter(2)
const timeout = 120_000

describe.concurrent("the examples of the documentation", () => {
  it.each(pages.filter((page) => page.blocks.some(({ notes }) => notes.has("run"))))(
    "$path do what it says",
    (page) => twoAtOnce(() => runPage(page)),
    timeout,
  )

  it("the README shows what the quickstart prints and reports", { timeout }, () =>
    twoAtOnce(async () => {
      const folder = shell.folder("quickstart")
      cpSync(join(root, "examples", "quickstart"), join(folder, "examples", "quickstart"), { recursive: true })
      for (const name of ["dist", "node_modules"]) symlinkSync(join(root, name), join(folder, name))
      const { exitCode, output } = await shell.bash("node examples/quickstart/quickstart.mjs", folder)
      expect(exitCode, output).toBe(0)
      const out = join(folder, ".agent-run", "quickstart", "out")
      const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"))
      for (const block of pages.flatMap((page) => page.blocks)) {
        if (block.notes.get("prints") === "quickstart") expectShown(block, output)
        if (block.notes.get("report") === "quickstart") expect(report).toMatchObject(parseJsonc(block.text))
      }
    }),
  )

  it("agent.toml.example passes config check as it is", { timeout }, () =>
    twoAtOnce(async () => {
      const folder = shell.folder("example")
      cpSync(join(root, "agent.toml.example"), join(folder, "agent.toml"))
      const { exitCode, output } = await shell.bash("agent-run config check", folder)
      expect({ exitCode, first: output.split("\n")[0] }).toEqual({ exitCode: 0, first: "ok  agent.toml" })
    }),
  )

  it("the embedding example runs a tool of its own and gets the report", { timeout }, () =>
    twoAtOnce(async () => {
      const program = `'${process.execPath}' '${root}/examples/embed/embed.mjs'`
      const { exitCode, output } = await shell.bash(program, shell.folder("embed"))
      expect({ exitCode, output }).toEqual({
        exitCode: 0,
        output: "read_ticket: output\ncompleted: SHOP-7 is about rounding.\n",
      })
    }),
  )

  it.each([
    { args: "", exitCode: 0, says: "done: 1 FIXME, listed in FIXMES.md." },
    { args: "--max-turns 1", exitCode: 4, says: "stopped at a limit" },
    { args: "--set permissions.on_denied=fail --deny Write", exitCode: 7, says: "ended, but not as it should" },
    { args: "--no-such-option", exitCode: 2, says: "the step itself is wrong" },
  ])("C1 the example script tells how its run ended: $exitCode", { timeout }, ({ args, exitCode, says }) =>
    twoAtOnce(async () => {
      const folder = shell.folder("script")
      const source = "export const total = (items) =>\n  // FIXME round before adding up\n  sum(items)\n"
      writeInto(folder, "src/cart.js", source)
      const run = await shell.bash(`'${root}/examples/ci-script/check.sh' ${args}`, folder)
      expect(run.output).toContain(says)
      expect(run.exitCode).toBe(exitCode)
      expect(existsSync(join(folder, "FIXMES.md"))).toBe(exitCode === 0)
    }),
  )
})

/** Run the examples of a page in their order, in one folder; what one leaves, the next finds. */
async function runPage(page: DocPage): Promise<void> {
  const around: Partial<Surroundings>[] = []
  try {
    await runBlocks(page, around)
  } catch (error) {
    // The example is what went wrong, not what it left undone.
    for (const { close } of around) await close?.().catch(() => {})
    throw error
  }
  for (const { close } of around) await close?.()
}

async function runBlocks(page: DocPage, around: Partial<Surroundings>[]): Promise<void> {
  const folder = shell.folder("page")
  let output = ""
  for (const block of page.blocks) {
    const file = block.notes.get("file")
    if (file !== undefined) writeInto(folder, file, block.text)
    const stage = block.notes.get("stage")
    if (stage !== undefined) {
      const prepare = stages[stage]
      if (prepare === undefined) throw new Error(`${page.path}:${block.line} there is no stage "${stage}"`)
      around.push(await prepare(folder, shell))
    }
    if (block.notes.has("run")) output = await runExample(page, block, folder, around)
    if (block.notes.get("prints") === "" && output !== "") expectShown(block, output)
  }
}

async function runExample(
  page: DocPage,
  block: DocBlock,
  folder: string,
  around: readonly Partial<Surroundings>[],
): Promise<string> {
  const needs = block.notes.get("needs")
  if (needs !== undefined && (await shell.bash(`command -v ${needs}`, folder)).exitCode !== 0) return ""
  const env = Object.assign({}, ...around.map((surroundings) => surroundings.env))
  const replacements = around.flatMap(({ replace = {} }) => Object.entries(replace))
  const commands = block.language === "yaml" ? commandsOf(block) : block.text
  const text = replacements.reduce((line, [from, to]) => line.replaceAll(from, to), commands)
  const { exitCode, output } = await shell.bash(text, folder, env)
  expect(exitCode, `${page.path}:${block.line}\n${output}`).toBe(Number(block.notes.get("run") || "0"))
  return output
}

/** The commands of the steps of a workflow. */
function commandsOf({ text }: DocBlock): string {
  const steps: readonly { readonly run?: string }[] = parse(text)
  return steps.flatMap(({ run }) => run ?? []).join("\n")
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
