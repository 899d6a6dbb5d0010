import * as z from "zod/mini"
import { described, mapOf, name, names, seconds, text } from "./schema-values.ts"

const hookKeys = {
  command: described(
    names.check(z.minLength(1)),
    "The program and its arguments, run in the workspace without a shell.",
  ),
  timeout_sec: described(z._default(seconds, 30), "Time for the program, in seconds; when it is over the hook blocks."),
  env_vars: described(
    z._default(names, []),
    "Names of our own variables that the program may see beside the safe base.",
  ),
}

/** The keys of `[[hooks.run_start]]` and `[[hooks.run_end]]`. */
export const runHookSchema = z.strictObject(hookKeys)

/** The keys of `[[hooks.pre_tool_use]]` and `[[hooks.post_tool_use]]`. */
export const toolHookSchema = z.strictObject({
  tool: described(z._default(name, "*"), "Glob on the tool name, as in a rule."),
  args: described(z.optional(mapOf(text)), "As in a rule that denies: any value that matches."),
  commands: described(z.optional(names.check(z.minLength(1))), "As in a rule that denies; Bash only."),
  paths: described(z.optional(names.check(z.minLength(1))), "As in a rule that denies; file tools only."),
  ...hookKeys,
})

/** `[hooks]`: programs that are told of calls and of the run, and may answer. */
export const hooksSchema = z.strictObject({
  pre_tool_use: described(
    z._default(z.array(toolHookSchema), []),
    "Run before an allowed call; may change its input, block it, or add a note. Hooks of all files add up.",
  ),
  post_tool_use: described(
    z._default(z.array(toolHookSchema), []),
    "Run after a call; may withhold its result or add a note. Hooks of all files add up.",
  ),
  run_start: described(
    z._default(z.array(runHookSchema), []),
    "Run before anything is started; may block the run or add a note to the task. Hooks of all files add up.",
  ),
  run_end: described(
    z._default(z.array(runHookSchema), []),
    "Run when the outcome is known; may turn a green run red. Hooks of all files add up.",
  ),
})
