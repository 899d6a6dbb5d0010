import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, extname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

/** A source file and three views of it in which something is blanked, so that places stay the same. */
interface SourceFile {
  readonly path: string
  readonly text: string
  /** Without comments. */
  readonly uncommented: string
  /** Without comments, strings and patterns. */
  readonly code: string
  /** Nothing but comments. */
  readonly comments: string
}

type Check = (file: SourceFile) => readonly string[]

/** What is not code: comments, strings, patterns. */
const tokens = new RegExp(
  [
    /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/,
    /(?<=[=(,:;!&|?{}[+>\n]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/,
  ]
    .map((pattern) => pattern.source)
    .join("|"),
  "g",
)

const root = fileURLToPath(new URL("..", import.meta.url))
const src = filesUnder("src")
const all = [...src, ...filesUnder("test")]

/** What a room or a file at the root of src may import beside itself; every other room: contract and util. */
const imports: Readonly<Record<string, readonly string[] | "everything">> = {
  contract: [],
  util: [],
  sinks: ["contract", "util", "report"],
  commands: "everything",
  action: "everything",
  "run.ts": "everything",
  run: "everything",
  "cli.ts": ["commands", "run.ts", "util"],
  "action.ts": ["action"],
  "index.ts": ["run.ts", "contract", "tools", "model"],
}
const sdkOwners = { "@anthropic-ai/sdk": "src/model/", "@modelcontextprotocol/": "src/mcp/" }
const mayTouchProcess = ["src/cli.ts", "src/index.ts", "src/action.ts", "src/config/", "src/commands/"]
const maxLines = 300
const maxLoopLines = 70

describe("the architecture", () => {
  it.each([
    ["imports form a star around contract and util", src, checkStar],
    ["each SDK is imported by one room", src, checkSdks],
    ["only front doors, commands and config touch the process", src, checkProcess],
    ["every export of src says why it exists", src, checkDocComments],
    [`no file is longer than ${maxLines} lines`, all, checkLength],
    ["files are kebab-case and named after what they export", all, checkName],
    ["there are no default exports, unchecked types, leftovers or focused tests", all, checkHabits],
  ])("%s", (_, files, check) => {
    const offenders = files.flatMap(check)
    if (offenders.length > 0) expect.fail(offenders.join("\n"))
  })

  it("the loop fits one screen", () => {
    const loop = src.find((file) => file.path === "src/agent/loop.ts")
    const body = loop?.text.match(/^export async function runLoop[\s\S]*?^( *)for \(;;\) \{\n([\s\S]*?)^\1\}$/m)?.[2]
    expect(body, "the body of for (;;) in runLoop of src/agent/loop.ts").toBeTypeOf("string")
    expect(body?.trimEnd().split("\n").length, "its lines").toBeLessThanOrEqual(maxLoopLines)
  })
})

describe("the checks of the architecture", () => {
  it.each<[Check, string, string, readonly string[]]>([
    [checkStar, "src/agent/a.ts", 'import { a } from "../tools/b.ts"', ["src/tools/b.ts"]],
    [checkStar, "src/agent/a.ts", 'import type {\n  A,\n} from "../tools/b.ts"', ["src/tools/b.ts"]],
    [checkStar, "src/agent/a.ts", 'const a = await import("../tools/b.ts")', ["src/tools/b.ts"]],
    [checkStar, "src/agent/a.ts", 'type A = import("../run.ts").A', ["src/run.ts"]],
    [checkStar, "src/agent/a.ts", 'export * from "../../test/b.ts"', ["test/b.ts"]],
    [checkStar, "src/tools/builtin/a.ts", 'import "../../contract/b.ts"\nimport "../c.ts"\nimport "node:fs"', []],
    [checkStar, "src/agent/a.ts", '// import "../tools/b.ts"\nconst url = "https://x/from"', []],
    [checkStar, "src/contract/a.ts", 'import "../util/b.ts"', ["src/util/b.ts"]],
    [checkStar, "src/util/a.ts", 'import "../contract/b.ts"', ["src/contract/b.ts"]],
    [checkStar, "src/sinks/a.ts", 'import "../report/b.ts"\nimport "../events/b.ts"', ["src/events/b.ts"]],
    [checkStar, "src/report/a.ts", 'import "../sinks/b.ts"', ["src/sinks/b.ts"]],
    [checkStar, "src/commands/a.ts", 'import "../run.ts"\nimport "../mcp/b.ts"', []],
    [checkStar, "src/run.ts", 'import "./agent/b.ts"\nimport "./run/b.ts"', []],
    [checkStar, "src/agent/a.ts", 'import "../run/b.ts"', ["src/run/b.ts"]],
    [checkStar, "src/cli.ts", 'import "./commands/b.ts"\nimport "./agent/b.ts"', ["src/agent/b.ts"]],
    [checkStar, "src/index.ts", 'export { a } from "./run.ts"\nimport "./mcp/b.ts"', ["src/mcp/b.ts"]],
    [checkStar, "src/extra.ts", 'import "./contract/b.ts"', ["belongs to no room"]],
    [checkSdks, "src/agent/a.ts", 'import "@anthropic-ai/sdk/client"', ["@anthropic-ai/sdk/client"]],
    [checkSdks, "src/tools/a.ts", 'import("@modelcontextprotocol/client")', ["@modelcontextprotocol/client"]],
    [checkSdks, "src/mcp/a.ts", 'import "@modelcontextprotocol/client"\nimport "zod/mini"', []],
    [checkProcess, "src/agent/a.ts", "a(process.env.A)\n`${process.argv}`", ["process.env", "process.argv"]],
    [checkProcess, "src/agent/a.ts", 'import { env } from "node:process"', ["node:process"]],
    [checkProcess, "src/agent/a.ts", "// process.env\nprocess.kill(1)", []],
    [checkProcess, "src/config/a.ts", "process.env", []],
    [checkDocComments, "src/a/a.ts", "/** Why. */\nexport const a = 1\nconst b = 1\nexport { b }", [":4"]],
    [checkDocComments, "src/a/a.ts", "/* Why. */\nexport const a = 1", [":2"]],
    [checkDocComments, "src/a/a.ts", "/** Why. */\n\nexport const a = 1", [":3"]],
    [checkDocComments, "src/a/a.ts", "/**\n * Why.\n */\nexport const a = `\nexport b`", []],
    [checkLength, "test/a.ts", "\n".repeat(maxLines + 1), [`${maxLines + 1} lines`]],
    [checkLength, "test/a.ts", "\n".repeat(maxLines), []],
    [checkName, "src/a/toolBox.ts", "", ["toolBox.ts"]],
    [checkName, "src/a/string-utils.ts", "", ["string-utils.ts"]],
    [checkName, "test/a/types.test.ts", "", ["types.test.ts"]],
    [checkName, "test/a/tool-box-2.test.ts", "", []],
    [checkHabits, "src/a/a.ts", "export default 1\nexport { a as default }", [":1", ":2"]],
    [checkHabits, "src/a/a.ts", "const a: any = b as any\ntype A = Map<string, any>", [":1", ":1", ":2"]],
    [checkHabits, "src/a/a.ts", 'AbortSignal.any(a) // any\nconst b = "any" + /any/.source', []],
    [checkHabits, "src/a/a.ts", "// TODO later\n/* FIXME */\n// @ts-ignore", [":1", ":2", ":3"]],
    [checkHabits, "test/a.test.ts", 'it.only("a", b)\ndescribe.only.each(c)', [":1", ":2"]],
  ])("%o judges %s by %j", (check, path, text, expected) => {
    const offenders = check(toSourceFile(path, text))
    expect(offenders).toEqual(expected.map((part) => expect.stringContaining(part)))
  })
})

function checkStar(file: SourceFile): readonly string[] {
  const home = roomOf(file.path)
  const allowed = home.endsWith(".ts") ? imports[home] : (imports[home] ?? ["contract", "util"])
  if (allowed === undefined) return [`${file.path} belongs to no room`]
  if (allowed === "everything") return []
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(file.path), specifier))
    .filter((target) => !target.startsWith("src/") || ![home, ...allowed].includes(roomOf(target)))
    .map((target) => `${file.path} imports ${target}; ${home} may import ${[home, ...allowed].join(", ")}`)
}

function roomOf(path: string): string {
  return path.split("/")[1] ?? ""
}

function importsOf(file: SourceFile): readonly string[] {
  const specifiers = /\bfrom\s*["']([^"'\n]+)["']|\bimport\s*\(?\s*["'`]([^"'`\n]+)["'`]/g
  return [...file.uncommented.matchAll(specifiers)].map((match) => match[1] ?? match[2] ?? "")
}

function checkSdks(file: SourceFile): readonly string[] {
  return Object.entries(sdkOwners).flatMap(([sdk, owner]) => {
    if (file.path.startsWith(owner)) return []
    const offending = importsOf(file).filter((specifier) => specifier.startsWith(sdk))
    return offending.map((specifier) => `${file.path} imports ${specifier}; only ${owner} may`)
  })
}

function checkProcess(file: SourceFile): readonly string[] {
  if (mayTouchProcess.some((place) => file.path.startsWith(place))) return []
  return find(file, "uncommented", /\bprocess\.(?:env|argv|stdout|stderr|exit)\b|["']node:process["']/g)
}

function checkDocComments(file: SourceFile): readonly string[] {
  return [...file.code.matchAll(/^export\b(?!.*\bfrom\b)/gm)]
    .filter(({ index }) => {
      const above = file.text.slice(0, index)
      return !above.endsWith("*/\n") || !above.startsWith("/**", above.lastIndexOf("/*"))
    })
    .map(({ index }) => `${place(file, index)} has no /** comment directly above its export`)
}

function checkLength(file: SourceFile): readonly string[] {
  const lines = file.text.replace(/\n$/, "").split("\n").length
  return lines > maxLines ? [`${file.path} has ${lines} lines; ${maxLines} is the ceiling`] : []
}

function checkName(file: SourceFile): readonly string[] {
  const name = basename(file.path)
  const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|d))?\.\w+$/
  const vague = /(?:^|-)(?:helpers?|utils?|types|misc|managers?)\./
  if (!kebab.test(name)) return [`${file.path} is not kebab-case`]
  return vague.test(name) ? [`${file.path} is not named after what it exports`] : []
}

function checkHabits(file: SourceFile): readonly string[] {
  return [
    ...find(file, "code", /\bexport\s+default\b|\bas\s+default\b/g),
    ...find(file, "code", /(?<![.\w$])any\b(?!\s*[:(])/g),
    ...find(file, "code", /\b(?:it|test|describe)\.only\b/g),
    ...find(file, "comments", /\b(?:TODO|FIXME)\b|@ts-(?:ignore|nocheck)\b/g),
  ]
}

function find(file: SourceFile, view: "uncommented" | "code" | "comments", pattern: RegExp): readonly string[] {
  return [...file[view].matchAll(pattern)].map((match) => `${place(file, match.index)} has ${match[0]}`)
}

function place(file: SourceFile, index: number): string {
  return `${file.path}:${file.text.slice(0, index).split("\n").length}`
}

function filesUnder(folder: string): readonly SourceFile[] {
  if (!existsSync(join(root, folder))) return []
  const codeExtensions = new Set([".ts", ".mts", ".js", ".mjs", ".cjs"])
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => codeExtensions.has(extname(path)) && !path.includes("node_modules"))
    .sort()
    .map((path) => toSourceFile(`${folder}/${path}`, readFileSync(join(root, folder, path), "utf8")))
}

function toSourceFile(path: string, text: string): SourceFile {
  const isComment = (token: string) => /^\/[/*]/.test(token)
  const blank = (token: string) => token.replace(/[^\n]/g, " ")
  return {
    path,
    text,
    uncommented: text.replace(tokens, (token) => (isComment(token) ? blank(token) : token)),
    code: text.replace(tokens, blank),
    comments: text.replace(tokens, (token) => (isComment(token) ? token : blank(token))),
  }
}
