import { stat } from "node:fs/promises"
import type { JsonObject } from "../../contract/json.ts"
import { errorResult, type Tool, type ToolResult } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { optionalNumberOf, optionalTextOf, textOf } from "../input-fields.ts"
import { type LeavesOut, withLeftOutNote } from "../left-out.ts"
import type { ResultFilter } from "../result-filter.ts"
import type { Ripgrep, SearchOutput } from "../ripgrep.ts"
import type { Workspace } from "../workspace.ts"

/** A larger file may be one line, which ripgrep would hold in memory. */
const maxFileMebibytes = 256

/** Grep: contents of files by regular expression, linear in time whatever the expression. */
export function createGrepTool(options: {
  readonly workspace: Workspace
  readonly ripgrep: Ripgrep
  readonly maxResultChars: number
  readonly leavesOut: LeavesOut
}): Tool {
  const { workspace, ripgrep } = options
  const lines = { type: "integer", minimum: 0 }
  return defineTool({
    name: "Grep",
    description: "Search file contents with a ripgrep regex; .gitignore is respected.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string" },
        path: { type: "string", description: "file or folder" },
        glob: { type: "string" },
        type: { type: "string", description: "such as js, py" },
        output_mode: {
          enum: ["files_with_matches", "content", "count"],
          description: "default files_with_matches",
        },
        "-i": { type: "boolean" },
        "-n": { type: "boolean" },
        "-A": lines,
        "-B": lines,
        "-C": lines,
        head_limit: lines,
        multiline: { type: "boolean" },
      },
      required: ["pattern"],
    },
    readOnly: true,
    origin: { kind: "builtin" },
    subjects: (input) => [workspace.subject(optionalTextOf(input, "path") ?? ".")],
    async execute(input, context) {
      const name = optionalTextOf(input, "path") ?? "."
      const guarded = workspace.guardRead(name)
      if (!guarded.ok) return errorResult("tool_error", guarded.refusal)
      const refusal = await refusalOf(guarded.path.absolute, name)
      if (refusal !== null) return errorResult("tool_error", refusal)
      const { relative } = guarded.path
      const maxBytes = Math.floor(options.maxResultChars * 0.9)
      const leavesOut = options.leavesOut({ name: "Grep" }, input)
      const output = await ripgrep({
        args: toArgs(input),
        ...(relative === "." ? {} : { where: relative }),
        cwd: workspace.root,
        signal: context.signal,
        filter: leavesOut && { behind: behindNames(input), hides: leavesOut },
        enough: createMeter(maxBytes),
      })
      const headLimit = optionalNumberOf(input, "head_limit") ?? 0
      return withLeftOutNote(describe(output, { maxBytes, headLimit }), leavesOut)
    },
  })
}

async function refusalOf(path: string, name: string): Promise<string | null> {
  const stats = await stat(path).catch(() => null)
  if (stats === null) return `${name} does not exist.`
  if (stats.isDirectory()) return null
  if (!stats.isFile()) return `Refused: ${name} is no regular file.`
  return stats.size > maxFileMebibytes * 1024 * 1024 ? `${name} is too large to search.` : null
}

function toArgs(input: JsonObject): readonly string[] {
  const glob = optionalTextOf(input, "glob")
  const type = optionalTextOf(input, "type")
  return [
    `--max-filesize=${maxFileMebibytes}M`,
    `--regexp=${textOf(input, "pattern")}`,
    ...(glob === null ? [] : [`--glob=${glob}`]),
    ...(type === null ? [] : [`--type=${type}`]),
    ...(input["-i"] === true ? ["--ignore-case"] : []),
    ...(input.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
    ...toModeArgs(input),
  ]
}

function toModeArgs(input: JsonObject): readonly string[] {
  const mode = modeOf(input)
  if (mode === "files_with_matches") return ["--files-with-matches"]
  if (mode === "count") return ["--count", "--with-filename"]
  const context = (["-A", "-B", "-C"] as const).flatMap((flag) => {
    const count = optionalNumberOf(input, flag)
    return count === null ? [] : [`${flag}${count}`]
  })
  const numbers = input["-n"] === false ? "--no-line-number" : "--line-number"
  return ["--no-heading", "--with-filename", "--max-columns=500", "--max-columns-preview", numbers, ...context]
}

function modeOf(input: JsonObject): string {
  return optionalTextOf(input, "output_mode") ?? "files_with_matches"
}

function behindNames(input: JsonObject): ResultFilter["behind"] {
  const mode = modeOf(input)
  if (mode === "files_with_matches") return "nothing"
  if (mode === "count") return "count"
  return input["-n"] === false ? "plain line" : "numbered line"
}

function createMeter(maxBytes: number): (chunk: Buffer) => boolean {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    return bytes > maxBytes
  }
}

function describe(
  output: SearchOutput,
  limits: { readonly maxBytes: number; readonly headLimit: number },
): ToolResult | string {
  const { end, stdout, stderr } = output
  if (end.kind === "aborted") return errorResult("aborted", "The search was stopped.")
  if (end.kind === "timeout") return errorResult("timeout", "The search took too long; name a path or a glob.")
  if (stdout.length === 0) {
    return stderr === "" ? "No matches." : errorResult("tool_error", stderr)
  }
  const text = stdout.subarray(0, limits.maxBytes).toString("utf8").replaceAll("\0", "\n").trimEnd()
  const lines = text.split("\n")
  const shown = limits.headLimit > 0 ? lines.slice(0, limits.headLimit) : lines
  const isCut = shown.length < lines.length || stdout.length > limits.maxBytes
  return [...shown, ...(isCut ? ["[more was found; narrow the search]"] : [])].join("\n")
}
