import * as z from "zod/mini"

/** How much a finding matters; the names are those of SARIF. */
export const findingLevels = ["error", "warning", "note"] as const

/** One of these levels. */
export type FindingLevel = (typeof findingLevels)[number]

/** What an agent found in a file of the workspace, as the report and the transcript spell it. */
export const findingSchema = z.object({
  file: z.string(),
  line: z.int().check(z.positive()),
  level: z.enum(findingLevels),
  rule: z.string(),
  message: z.string(),
})

/** One thing found while looking at something, as CI systems show it. */
export interface Finding {
  /** The id of the check that found it, such as `description-missing`. */
  readonly rule: string
  readonly level: FindingLevel
  readonly message: string
  /** What it is about, such as `github/create_issue`. */
  readonly subject: string
  /** Where a person can look, when that is a file; the path is relative to the repository. */
  readonly place: { readonly file: string; readonly line: number } | null
}
