import type { BatchReport, BatchTask } from "../../contract/batch.ts"
import { renderCases, type TestCase } from "../junit.ts"

/** A batch report as JUnit XML: each task is a test case; what a merge found missing or twice fails one of its own. */
export function renderBatchJunit(report: BatchReport): string {
  const why = report.reason?.message ?? "the batch ended before it"
  const notRun = report.not_run.map(({ id }) => ({ ...caseOf(id, 0), skipped: why }))
  const problems = report.problems.map(({ code, message }) => ({
    ...caseOf(message, 0),
    group: "merge",
    failure: { type: code, message, details: message },
  }))
  return renderCases([...report.tasks.map(taskCase), ...notRun, ...problems], report.batch)
}

function taskCase({ id, status, exit_code, reason, duration_ms, report }: BatchTask): TestCase {
  const one = caseOf(id, duration_ms)
  if (reason === null) return one
  const details = `${status}, exit code ${exit_code}\n${reason.message}\n${report}`
  return { ...one, failure: { type: reason.code, message: reason.message, details } }
}

function caseOf(name: string, durationMs: number): TestCase {
  return { group: "task", name, seconds: durationMs / 1000, failure: null }
}
