import type { ReasonCode } from "../contract/reason.ts"
import { UserError } from "../contract/user-error.ts"
import type { KeyPath } from "./positions.ts"

/** One thing that is wrong with the configuration. */
export interface Problem {
  readonly code: ReasonCode
  /** `agent.toml:14:3`, `--set agent.max_turns`, `.mcp.json`. */
  readonly where: string
  /** What is wrong, led by the key path where there is one. */
  readonly message: string
}

/** Throw all problems as one error, a line each; nothing happens when there are none. */
export function throwProblems(problems: readonly Problem[], hint?: string): void {
  const [first, ...others] = problems
  if (first === undefined) return
  const lines = [first.message, ...others.map((problem) => `${problem.where} ${problem.message}`)]
  throw new UserError(first.code, lines.join("\n"), { where: first.where, ...(hint === undefined ? {} : { hint }) })
}

/** A key path as a person writes it in TOML: `mcp_servers."my server".args[1]`. */
export function formatPath(path: KeyPath): string {
  return path.reduce<string>((written, segment) => {
    if (typeof segment === "number") return `${written}[${segment}]`
    return `${written}${written === "" ? "" : "."}${formatKey(segment)}`
  }, "")
}

/** One key as TOML wants it: bare when it can be, else quoted. */
export function formatKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}
