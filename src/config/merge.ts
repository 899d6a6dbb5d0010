import type { ConfigWarning } from "../contract/config.ts"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { Layer } from "./layer.ts"
import { formatPath } from "./problem.ts"
import { type ConfigValues, configSchema } from "./schema.ts"
import { tableOf, valueAt } from "./values.ts"

/** One value that counts, and the layer that says so. */
export interface Setting {
  readonly path: readonly string[]
  readonly value: unknown
  readonly layer: Layer
}

/** All layers as one configuration. */
export interface MergedConfig {
  /** With defaults; servers and lists that add up are not in here. */
  readonly values: ConfigValues
  /** What was set at all, by its key path. */
  readonly settings: ReadonlyMap<string, Setting>
  readonly warnings: readonly ConfigWarning[]
}

/** One element of a list that adds up over all layers. */
export interface Element {
  readonly value: unknown
  readonly index: number
  readonly layer: Layer
}

/** Merge layers, highest first, key by key: the first one that sets a key wins. */
export function mergeLayers(layers: readonly Layer[]): MergedConfig {
  const settings = new Map<string, Setting>()
  const warnings: ConfigWarning[] = []
  for (const layer of layers) {
    for (const { path, value } of leavesOf(layer.values, [])) {
      if (mergedElsewhere(path)) continue
      const key = formatPath(path)
      const winner = settings.get(key) ?? settings.get(rivals[key] ?? "")
      if (winner === undefined || winner.layer === layer) settings.set(key, { path, value, layer })
      else if (winner.layer.scope === "managed" && layer.scope === "command-line") {
        const message = `${layer.sourceOf(path)} has no effect: ${winner.layer.sourceOf(winner.path)} sets ${key}`
        warnings.push({ code: "overruled_by_managed", message })
      }
    }
  }
  return { values: configSchema.parse(tableOf(settings.values()), { jitless: true }), settings, warnings }
}

/** The elements of a list that adds up, of the highest layer first. */
export function addUp(layers: readonly Layer[], path: readonly string[]): readonly Element[] {
  return layers.flatMap((layer) => {
    const list = valueAt(layer.values, path)
    return Array.isArray(list) ? list.map((value: unknown, index) => ({ value, index, layer })) : []
  })
}

/** Lists that no layer can shorten: what one forbids or masks stays so. */
export const listsThatAddUp = {
  denylist: ["security", "mcp_server_denylist"],
  redact: ["security", "redact"],
  redactEnv: ["security", "redact_env"],
  rules: ["permissions", "rules"],
  customTools: ["tools", "custom"],
  preToolUse: ["hooks", "pre_tool_use"],
  postToolUse: ["hooks", "post_tool_use"],
  runStart: ["hooks", "run_start"],
  runEnd: ["hooks", "run_end"],
} as const

/** Where one element of such a list can be changed. */
export function elementSource({ layer, index }: Element, list: readonly string[]): string {
  return layer.sourceOf([...list, index])
}

/** Keys that exclude each other: setting one in a higher layer unsets the other below. */
const rivals: Readonly<Record<string, string>> = {
  "agent.system_prompt": "agent.system_prompt_file",
  "agent.system_prompt_file": "agent.system_prompt",
}

const addedUp = new Set(Object.values(listsThatAddUp).map((path) => formatPath(path)))

function mergedElsewhere(path: readonly string[]): boolean {
  return path[0] === "mcp_servers" || addedUp.has(formatPath(path))
}

function* leavesOf(
  table: JsonObject,
  prefix: readonly string[],
): Generator<{ path: readonly string[]; value: unknown }> {
  for (const [key, value] of Object.entries(table)) {
    const path = [...prefix, key]
    if (isJsonObject(value)) yield* leavesOf(value, path)
    else yield { path, value }
  }
}
