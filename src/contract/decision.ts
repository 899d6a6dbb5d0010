/** What a rule or a decision says about a call. */
export type Action = "allow" | "ask" | "deny"

/** One permission rule; `source` is where a person can change it, such as `agent.toml:14`. */
export interface Rule {
  readonly tool: string
  readonly action: Action
  readonly args?: Readonly<Record<string, string>>
  readonly commands?: readonly string[]
  readonly paths?: readonly string[]
  readonly broad: boolean
  readonly source: string
}

/** What decided a call. */
export type Because =
  | { readonly kind: "rule"; readonly rule: Rule }
  | { readonly kind: "default"; readonly source: string }
  | { readonly kind: "baseline" }
  /** An allow raised to ask because the tool calls itself destructive; `rule` is the allow that was raised. */
  | { readonly kind: "hint"; readonly rule: Rule }

/** The answer of the permission system for one call. */
export interface Decision {
  readonly action: Action
  readonly because: Because
  /** Set when the call of a custom tool was decided by what it calls: the name of that tool. */
  readonly wrapped?: string
}
