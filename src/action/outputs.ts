import { randomBytes } from "node:crypto"
import type { Report } from "../contract/report.ts"
import { toWellFormed } from "../util/well-formed.ts"

/** Every output of action.yml, in its order. */
export const outputNames = [
  "status",
  "exit-code",
  "answer",
  "structured",
  "cost-usd",
  "turns",
  "denied",
  "report",
  "transcript",
  "plan",
  "out-dir",
] as const

/** The outputs of a step, by name. */
export type StepOutputs = Readonly<Record<(typeof outputNames)[number], string>>

/** What later steps can read of a run. */
export function outputsOf(
  report: Report,
  paths: { readonly report: string; readonly transcript: string; readonly plan: string; readonly outDir: string },
): StepOutputs {
  return {
    status: report.status,
    "exit-code": String(report.exit_code),
    answer: report.answer ?? "",
    structured: report.structured === null || report.structured === undefined ? "" : JSON.stringify(report.structured),
    "cost-usd": report.cost_usd === null ? "" : String(report.cost_usd),
    turns: String(report.turns),
    denied: String(report.denied),
    report: paths.report,
    transcript: paths.transcript,
    plan: paths.plan,
    "out-dir": paths.outDir,
  }
}

/** Outputs as the file of the runner wants them. No value can end early: nobody can guess the delimiter of its block. */
export function renderOutputs(
  outputs: Readonly<Record<string, string>>,
  delimiterOf: () => string = () => `agent_run_${randomBytes(16).toString("hex")}`,
): string {
  return Object.entries(outputs)
    .map(([name, value]) => renderOutput(name, toWellFormed(value), delimiterOf()))
    .join("")
}

function renderOutput(name: string, value: string, delimiter: string): string {
  if (value.includes(delimiter)) throw new Error(`the output ${name} contains its delimiter`)
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
}
