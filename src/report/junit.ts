import type { Report } from "../contract/report.ts"
import { toVisibleText } from "../util/visible-text.ts"
import { toWellFormed } from "../util/well-formed.ts"

/** One test case of a suite. */
export interface TestCase {
  readonly group: string
  readonly name: string
  readonly seconds: number
  /** Why it failed. */
  readonly failure: { readonly type: string; readonly message: string; readonly details: string } | null
  /** Why it was not run. */
  readonly skipped?: string
}

/** A report as JUnit XML: the run itself, each expectation, and each call that failed or was denied is a test case. */
export function renderJunit(report: Report): string {
  const cases = [runCase(report), ...report.expectations.map(expectationCase), ...report.calls.flatMap(callCase)]
  return renderCases(cases, report.run)
}

/** Test cases as JUnit XML. */
export function renderCases(
  cases: readonly TestCase[],
  { started_at, duration_ms }: { readonly started_at: string; readonly duration_ms: number },
): string {
  const failures = cases.filter(({ failure }) => failure !== null).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`
  const time = `time="${seconds(duration_ms)}" timestamp="${escapeXml(started_at)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="agent-run" ${counts} ${time}>`,
    `<testsuite name="agent-run" ${counts} ${time}>`,
    ...cases.map(renderCase),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n")
}

function runCase({ status, exit_code, reason, run }: Report): TestCase {
  const name = "the run completes"
  const time = run.duration_ms / 1000
  if (reason === null) return { group: "run", name, seconds: time, failure: null }
  const details = `${status}, exit code ${exit_code}\n${reason.message}${reason.hint ? `\n${reason.hint}` : ""}`
  return { group: "run", name, seconds: time, failure: { type: reason.code, message: reason.message, details } }
}

function expectationCase({ name, ok, message }: Report["expectations"][number]): TestCase {
  const failure = ok ? null : { type: "expectation", message, details: `${name}: ${message}` }
  return { group: "expect", name, seconds: 0, failure }
}

function callCase(call: Report["calls"][number]): readonly TestCase[] {
  if (call.ok || call.error_code === "not_run") return []
  const type = call.error_code ?? "tool_error"
  const decided = call.decision === null ? "" : `, decided by ${call.decision.rule} (${call.decision.source})`
  const message = `${call.tool}: ${type}${decided}`
  const rules = call.allow_with === undefined ? "" : `\nallowed by\n${call.allow_with}`
  const failure = { type, message, details: `call ${call.id} of turn ${call.turn}\n${message}${rules}` }
  return [{ group: "call", name: `${call.tool} (${call.id})`, seconds: call.duration_ms / 1000, failure }]
}

function renderCase({ group, name, seconds: time, failure, skipped }: TestCase): string {
  const head = `<testcase classname="agent-run.${group}" name="${escapeXml(name)}" time="${time.toFixed(3)}"`
  if (skipped !== undefined) return `${head}><skipped message="${escapeXml(skipped)}"/></testcase>`
  if (failure === null) return `${head}/>`
  const { type, message, details } = failure
  return `${head}><failure type="${escapeXml(type)}" message="${escapeXml(message)}">${escapeXml(details)}</failure></testcase>`
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3)
}

/** Characters that XML cannot hold at all are shown, not dropped. */
export function escapeXml(text: string): string {
  return toWellFormed(toVisibleText(text))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;")
}
