import type { Rule } from "../contract/decision.ts"
import { UserError } from "../contract/user-error.ts"
import { matchesMadeUpServers } from "./broad-glob.ts"
import type { CompiledRule } from "./compile-rule.ts"
import { describeRule } from "./describe.ts"

/** An allow that reaches further than a person may think has to say `broad = true`. */
export function refuseBroadRule({ rule, tool }: CompiledRule): void {
  if (rule.action !== "allow" || rule.broad) return
  if (tool.matches("Bash")) refuseOpenShell(rule)
  if (!matchesMadeUpServers(tool)) return
  throw new UserError(
    "config_error",
    `the rule "${describeRule(rule)}" would allow tools of any server, also of ones added later`,
    {
      where: rule.source,
      hint: 'Name the server, such as "mcp__github__*", or set broad = true if you mean every server.',
    },
  )
}

function refuseOpenShell(rule: Rule): void {
  const open = rule.commands === undefined || rule.commands.some((command) => command.trim() === "*")
  if (!open) return
  throw new UserError("config_error", `the rule "${describeRule(rule)}" would allow any shell command`, {
    where: rule.source,
    hint: 'Name the commands, such as commands = ["git status", "npm test *"], or set broad = true if you mean every command.',
  })
}
