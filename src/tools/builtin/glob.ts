import { stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { errorResult, type Tool, type ToolResult } from "../../contract/tool.ts"
import { defineTool } from "../define-tool.ts"
import { optionalTextOf, textOf } from "../input-fields.ts"
import { type LeavesOut, withLeftOutNote } from "../left-out.ts"
import type { Ripgrep, SearchOutput } from "../ripgrep.ts"
import type { Workspace } from "../workspace.ts"

const maxFiles = 1000

/** Glob: files by name, sorted by path. ripgrep does it: linear in time whatever the pattern, and it can be stopped. */
export function createGlobTool(options: {
  readonly workspace: Workspace
  readonly ripgrep: Ripgrep
  readonly leavesOut: LeavesOut
}): Tool {
  const { workspace, ripgrep } = options
  return defineTool({
    name: "Glob",
    description: "List files that match a glob such as src/**/*.ts; .gitignore is respected.",
    inputSchema: {
      type: "object",
      properties: { pattern: { type: "string" }, path: { type: "string", description: "folder" } },
      required: ["pattern"],
    },
    readOnly: true,
    origin: { kind: "builtin" },
    subjects: (input) => {
      const { folder } = splitPattern(textOf(input, "pattern"))
      const base = optionalTextOf(input, "path") ?? "."
      return [base, ...(folder === "" ? [] : [resolve(workspace.root, base, folder)])].map(workspace.subject)
    },
    async execute(input, context) {
      const { folder, glob } = splitPattern(textOf(input, "pattern"))
      if (hasDotDot(glob)) return errorResult("tool_error", "Refused: .. may only stand at the beginning of a pattern.")
      const guarded = workspace.guardRead(resolve(workspace.root, optionalTextOf(input, "path") ?? ".", folder))
      if (!guarded.ok) return errorResult("tool_error", guarded.refusal)
      const stats = await stat(guarded.path.absolute).catch(() => null)
      if (stats === null) return `No files match: ${guarded.path.relative} does not exist.`
      if (!stats.isDirectory()) return errorResult("tool_error", `${guarded.path.relative} is no folder.`)
      const { absolute, relative } = guarded.path
      const leavesOut = options.leavesOut({ name: "Glob" }, input)
      const output = await ripgrep({
        args: ["--files", "--null", `--glob=/${glob}`],
        cwd: absolute,
        signal: context.signal,
        filter: leavesOut && { behind: "nothing", hides: (path) => leavesOut(join(relative, path)) },
        enough: createCounter(maxFiles),
      })
      return withLeftOutNote(describe(output, relative), leavesOut)
    },
  })
}

/** The folder a pattern names literally, and the rest. The search starts in that folder, also when it is ignored. */
function splitPattern(pattern: string): { readonly folder: string; readonly glob: string } {
  const segments = pattern.split("/")
  const dynamic = segments.findIndex((segment) => /[*?[\]{}\\!]/.test(segment))
  const at = dynamic === -1 ? segments.length - 1 : dynamic
  const folder = segments.slice(0, at).join("/")
  return {
    folder: folder === "" && pattern.startsWith("/") ? "/" : folder,
    glob: segments.slice(at).join("/") || "**",
  }
}

function hasDotDot(pattern: string): boolean {
  return pattern.split(/[/{},]/).includes("..")
}

function createCounter(maxCount: number): (chunk: Buffer) => boolean {
  let count = 0
  return (chunk) => {
    for (const byte of chunk) if (byte === 0) count += 1
    return count > maxCount
  }
}

function describe(output: SearchOutput, folder: string): ToolResult | string {
  const { end, stdout, stderr } = output
  if (end.kind === "aborted") return errorResult("aborted", "The search was stopped.")
  const files = stdout.toString("utf8").split("\0").slice(0, -1)
  if (end.kind === "timeout") return errorResult("timeout", "The search took too long; name a folder in the pattern.")
  if (files.length === 0) return stderr === "" ? "No files match." : errorResult("tool_error", stderr)
  const shown = files.slice(0, maxFiles).map((file) => printable(join(folder, file)))
  const note = files.length > maxFiles ? [`[only the first ${maxFiles} files; narrow the pattern]`] : []
  return [...shown, ...note].join("\n")
}

/** One file is one line, whatever its name holds. */
function printable(path: string): string {
  return path.replace(/[\0-\x1f]/g, (character) => JSON.stringify(character).slice(1, -1))
}
