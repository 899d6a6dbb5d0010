import type { Hook, HookSettings } from "../../contract/config.ts"
import { isInside } from "../../util/inside-folder.ts"
import type { ConfiguredServer } from "../gather-servers.ts"
import type { Layer } from "../layer.ts"
import { findRepository } from "./trust.ts"

/** What a configuration can start. */
export interface Programs {
  readonly servers: readonly ConfiguredServer[]
  readonly hooks: HookSettings
  readonly askCommand: { readonly words: readonly string[]; readonly source: string } | null
}

/** The programs that files of the work tree start, a line each; variables stay names, so that no value is shown. */
export async function programsOfWorkTree(
  { servers, hooks, askCommand }: Programs,
  layers: readonly Layer[],
  workspace: string,
): Promise<readonly string[]> {
  const all = [
    ...servers.flatMap((server) => programOf(server)),
    ...hooksIn("pre_tool_use", hooks.preToolUse),
    ...hooksIn("post_tool_use", hooks.postToolUse),
    ...hooksIn("run_start", hooks.runStart),
    ...hooksIn("run_end", hooks.runEnd),
    ...(askCommand === null ? [] : [{ ...askCommand, what: "ask_command" }]),
  ]
  if (all.length === 0) return []
  const root = findRepository(workspace) ?? workspace
  const files = layers.flatMap(({ file }) => (file !== null && isInside(root, file.path) ? [file.shown] : []))
  return all
    .filter(({ source }) => files.some((file) => source === file || source.startsWith(`${file}:`)))
    .map(({ what, words }) => `${what}: ${words.join(" ")}`)
}

interface Program {
  readonly what: string
  readonly words: readonly string[]
  readonly source: string
}

function programOf({ name, values, source }: ConfiguredServer): readonly Program[] {
  const { command, args } = values
  if (typeof command !== "string") return []
  return [{ what: `server ${name}`, words: [command, ...(Array.isArray(args) ? args.map(String) : [])], source }]
}

function hooksIn(event: string, hooks: readonly Hook[]): readonly Program[] {
  return hooks.map(({ command, source }) => ({ what: `hook ${event}`, words: command, source }))
}
