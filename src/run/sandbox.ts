import type { Config, ConfigWarning } from "../contract/config.ts"
import type { Host } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import type { Policy } from "../permissions/policy.ts"
import { findSandbox, type Sandbox, type SandboxSearch } from "../tools/sandbox.ts"

/** Where the commands of a run are run. */
export interface Confinement {
  /** As the report names it. */
  readonly name: "bubblewrap" | "off"
  readonly sandbox: Sandbox | null
  readonly warnings: readonly ConfigWarning[]
}

/** Look for a sandbox if the run may need one; `null` when it does not. Never throws. */
export async function searchSandbox(
  { security, tools, permissions }: Config,
  around: {
    readonly policy: Policy
    readonly host: Pick<Host, "env">
    readonly workspace: string
    readonly outputs: readonly string[]
  },
): Promise<SandboxSearch | null> {
  const { policy, host, workspace, outputs } = around
  const bash = { name: "Bash" }
  const isOffered = tools.builtin.includes(bash.name) && policy.hides(bash) === null
  if (security.sandbox === "off" || !isOffered) return null
  const others = policy.deadRules([bash])
  const mayRun =
    permissions.default.action !== "deny" ||
    permissions.rules.some((rule) => rule.action !== "deny" && !others.includes(rule))
  if (security.sandbox === "auto" && !mayRun) return null
  return findSandbox({ path: host.env.PATH ?? "", workspace, readOnly: outputs })
}

/** What the search means for the run. Throws a UserError when a required sandbox is not there. */
export function confinementOf({ security }: Config, search: SandboxSearch | null): Confinement {
  if (search?.kind === "found") return { name: "bubblewrap", sandbox: search.sandbox, warnings: [] }
  if (search !== null && security.sandbox === "require") throw missingSandbox(search)
  const off = { name: "off", sandbox: null } as const
  if (search?.kind !== "unusable") return { ...off, warnings: [] }
  const message = `${faultOf(search)}; commands of Bash run without a sandbox. ${hintFor(search)} To run without one on purpose: security.sandbox = "off".`
  return { ...off, warnings: [{ code: "sandbox_unavailable", message }] }
}

/** The mistake of requiring a sandbox where there is none. */
function missingSandbox(search: Exclude<SandboxSearch, { kind: "found" }>): UserError {
  return new UserError("config_error", `security.sandbox = "require", but ${faultOf(search)}`, {
    hint: hintFor(search),
  })
}

/** Why there is no sandbox, in words that go on a sentence. */
export function faultOf(search: Exclude<SandboxSearch, { kind: "found" }>): string {
  return search.kind === "absent"
    ? "there is no bwrap on the PATH"
    : `${search.program} does not work here: ${search.why}`
}

/** What to do about it. */
export function hintFor(search: Exclude<SandboxSearch, { kind: "found" }>): string {
  if (process.platform !== "linux") return "It exists for Linux only: use a Linux machine or container for this."
  return search.kind === "absent"
    ? "Install the package bubblewrap, such as with apt-get install bubblewrap."
    : "It needs user namespaces: see docs/security.md for containers and Ubuntu."
}
