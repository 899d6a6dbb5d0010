/** The files that a run can write, each with its fixed name in `--out-dir`. The one home of both. */
export const outputFiles = {
  report: "report.json",
  transcript: "transcript.jsonl",
  summary: "summary.md",
  junit: "junit.xml",
  html: "report.html",
  sarif: "results.sarif",
  patch: "changes.patch",
} as const

/** A file that a run can write. */
export type OutputName = keyof typeof outputFiles

/** Where the files of a run go; `null` is "not written". */
export type OutputPaths = { readonly [Name in OutputName]: string | null }

/** Nothing is written. */
export const noOutputs: OutputPaths = {
  report: null,
  transcript: null,
  summary: null,
  junit: null,
  html: null,
  sarif: null,
  patch: null,
}
