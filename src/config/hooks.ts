import { statSync } from "node:fs"
import { resolve } from "node:path"
import type { Hook, HookSettings } from "../contract/config.ts"
import { childEnvironment, gitSafety } from "../util/child-environment.ts"
import { runHookSchema, toolHookSchema } from "./hook-schema.ts"
import type { Layer } from "./layer.ts"
import { addUp, type Element, elementSource, listsThatAddUp } from "./merge.ts"
import { toMs } from "./schema-values.ts"

type Environment = Readonly<Record<string, string | undefined>>
type HookList = "preToolUse" | "postToolUse" | "runStart" | "runEnd"

/** The hooks of every layer, those of the lowest first; programs see the safe base and what `env_vars` names, and git is kept safe. */
export function hooksOf(layers: readonly Layer[], env: Environment): HookSettings {
  return {
    preToolUse: toolHooks("preToolUse"),
    postToolUse: toolHooks("postToolUse"),
    runStart: runHooks("runStart"),
    runEnd: runHooks("runEnd"),
  }

  function toolHooks(list: "preToolUse" | "postToolUse") {
    return elements(list).map((element) => {
      const { timeout_sec, env_vars, ...hook } = toolHookSchema.parse(element.value)
      return { ...hook, ...surroundings({ timeout_sec, env_vars }, element, list) }
    })
  }

  function runHooks(list: "runStart" | "runEnd") {
    return elements(list).map((element) => {
      const { command, ...keys } = runHookSchema.parse(element.value)
      return { command, ...surroundings(keys, element, list) }
    })
  }

  function elements(list: HookList): readonly Element[] {
    return addUp(layers.toReversed(), listsThatAddUp[list])
  }

  function surroundings(
    keys: { readonly timeout_sec: number; readonly env_vars: readonly string[] },
    element: Element,
    list: HookList,
  ) {
    return {
      timeoutMs: toMs(keys.timeout_sec),
      env: childEnvironment(env, { names: keys.env_vars, values: gitSafety }),
      source: elementSource(element, listsThatAddUp[list]),
    }
  }
}

/** The files that hooks and ask_command name: they govern the run, so the agent must not touch them. */
export function programFiles(hooks: HookSettings, askCommand: readonly string[], workspace: string): readonly string[] {
  const all: readonly Hook[] = [...hooks.preToolUse, ...hooks.postToolUse, ...hooks.runStart, ...hooks.runEnd]
  const words = [...all.flatMap((hook) => hook.command), ...askCommand]
  const paths = words.map((word) => resolve(workspace, word))
  return [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}
