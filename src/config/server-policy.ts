import type { ServerList, ServerPolicy } from "./choose-servers.ts"
import type { Layer } from "./layer.ts"
import { addUp, listsThatAddUp, type MergedConfig } from "./merge.ts"
import { valueAt } from "./values.ts"

const allowlistPath = ["security", "mcp_server_allowlist"] as const

/** What the merged configuration and the command line say about which servers may start. */
export function serverPolicyOf(
  layers: readonly Layer[],
  merged: MergedConfig,
  wishes: { readonly only: readonly string[]; readonly without: readonly string[] },
): ServerPolicy {
  const autoConnect = merged.settings.get("mcp.auto_connect")
  return {
    allowlists: allowlistsOf(layers),
    denylists: addUp(layers, listsThatAddUp.denylist).map(({ value, index, layer }) => ({
      names: [String(value)],
      source: layer.sourceOf([...listsThatAddUp.denylist, index]),
    })),
    autoConnect: {
      value: merged.values.mcp.auto_connect,
      source: autoConnect?.layer.sourceOf(autoConnect.path) ?? "default",
    },
    exclusive: exclusiveSourceOf(merged),
    only: wishes.only,
    without: wishes.without,
  }
}

function exclusiveSourceOf({ values, settings }: MergedConfig): string | null {
  const setting = settings.get("mcp.exclusive")
  if (!values.mcp.exclusive || setting === undefined) return null
  return setting.layer.sourceOf(setting.path)
}

/** The list of the highest scope that has one, and always the managed one: others can narrow it, never widen it. */
export function allowlistsOf(layers: readonly Layer[]): readonly ServerList[] {
  const managed = layers.filter((layer) => layer.scope === "managed")
  const others = layers.filter((layer) => layer.scope !== "managed")
  return [highestList(managed), highestList(others)].flatMap((list) => (list && list.names.length > 0 ? [list] : []))
}

function highestList(layers: readonly Layer[]): ServerList | null {
  for (const layer of layers) {
    const list = valueAt(layer.values, allowlistPath)
    if (Array.isArray(list)) return { names: list.map(String), source: layer.sourceOf(allowlistPath) }
  }
  return null
}
