import type { Reason, ReasonCode } from "./reason.ts"

/** The user's mistake: what happened, where, and what to do next. The only error class of the project. */
export class UserError extends Error {
  readonly code: ReasonCode
  /** `agent.toml:14:3`, `--set agent.max_turns`, … */
  readonly where: string | null
  readonly hint: string | null

  constructor(
    code: ReasonCode,
    message: string,
    details: { readonly where?: string; readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(details.where === undefined ? message : `${details.where} ${message}`, { cause: details.cause })
    this.name = "UserError"
    this.code = code
    this.where = details.where ?? null
    this.hint = details.hint ?? null
  }

  /** The same as the reason of an outcome. */
  toReason(): Reason {
    return { code: this.code, message: this.message, hint: this.hint }
  }
}
