import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { type Report, reportSchema } from "../contract/report.ts"
import { UserError } from "../contract/user-error.ts"
import { type Comparison, compareReports, type Difference } from "../report/compare.ts"
import { toJsonText } from "../report/json.ts"
import { renderTable } from "./table.ts"

/** What `agent-run diff` is asked to do. */
export interface DiffCommand {
  readonly before: string
  readonly after: string
  /** `20%`, or 0.2. */
  readonly maxCostIncrease: string | undefined
  readonly json: boolean
}

/** `agent-run diff A B`: two reports side by side; exit code 8 when the later run got worse than allowed. */
export async function diffCommand(command: DiffCommand, host: NodeJS.Process): Promise<number> {
  const allowed = command.maxCostIncrease === undefined ? null : toShare(command.maxCostIncrease)
  const [before, after] = await Promise.all([command.before, command.after].map((path) => readReport(path, host.cwd())))
  if (before === undefined || after === undefined) throw new Error("two reports were read")
  const comparison = compareReports(before, after)
  host.stdout.write(command.json ? toJsonText(comparison) : render(comparison))
  const problem = problemOf(comparison, allowed, { before, after })
  if (problem === null) return 0
  host.stderr.write(`agent-run: ${problem}\n`)
  return 8
}

async function readReport(path: string, cwd: string): Promise<Report> {
  try {
    const found = reportSchema.safeParse(JSON.parse(await readFile(resolve(cwd, path), "utf8")))
    if (found.success) return found.data
    const [issue] = found.error.issues
    throw new Error(`${issue?.path.join(".") || "it"} is not as a report has it`)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("usage_error", `${path} is no report: ${why}`, {
      hint: "agent-run --report FILE writes one.",
      cause,
    })
  }
}

function toShare(text: string): number {
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? []
  if (amount === undefined) {
    throw new UserError("usage_error", `"${text}" is no share`, {
      where: "--max-cost-increase:",
      hint: "Write 20% or 0.2.",
    })
  }
  return percent === "%" ? Number(amount) / 100 : Number(amount)
}

function problemOf(
  { cost_increase: costIncrease }: Comparison,
  allowed: number | null,
  { before, after }: { readonly before: Report; readonly after: Report },
): string | null {
  if (before.exit_code === 0 && after.exit_code !== 0)
    return `the later run ended with ${after.exit_code}: ${after.reason?.code}`
  if (allowed === null) return null
  if (costIncrease === null) return "the cost of a run is unknown, so its increase is, too"
  if (costIncrease <= allowed) return null
  return `the cost rose by ${toPercent(costIncrease)}, more than the ${toPercent(allowed)} that are allowed`
}

function render({ differences, tools }: Comparison): string {
  const facts = renderTable(
    ["", "before", "after", "change"],
    differences.map((row) => [row.name, show(row.before), show(row.after), changeOf(row)]),
    "",
  )
  if (tools.length === 0) return facts
  const calls = tools.map(({ tool, before, after }) => [tool, String(before), String(after)])
  return `${facts}\n${renderTable(["calls of", "before", "after"], calls, "")}`
}

function show(value: Difference["before"]): string {
  if (value === null) return "unknown"
  return typeof value === "number" ? String(Number(value.toFixed(6))) : value
}

function changeOf({ before, after, change }: Difference): string {
  if (before === after) return ""
  return change === null ? "changed" : `${change > 0 ? "+" : ""}${toPercent(change)}`
}

function toPercent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 1000) / 10} %` : "from nothing"
}
