import type { ConfigWarning } from "../contract/config.ts"
import { isJsonObject, type JsonObject } from "../contract/json.ts"
import { serverContradictions } from "./contradictions.ts"
import type { Layer, Scope } from "./layer.ts"
import type { KeyPath } from "./positions.ts"
import { formatPath, type Problem } from "./problem.ts"
import { toProblems } from "./validate.ts"
import { mergeTables, valueAt } from "./values.ts"

/** A server as it is configured: not yet chosen, not yet expanded. */
export interface ConfiguredServer {
  readonly name: string
  readonly scope: Scope
  readonly values: JsonObject
  /** Where a person can change it: `agent.toml:3`. */
  readonly source: string
  /** Where a problem with one of its keys is. */
  placeOf(path: KeyPath): string
  /** Where a person can change one of its keys. */
  sourceOf(path: KeyPath): string
  /** What the file that one of its keys names is relative to. */
  folderOf(path: KeyPath): string
}

/** All configured servers, and what is wrong with how the command line touches them. */
export interface GatheredServers {
  readonly servers: readonly ConfiguredServer[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly ConfigWarning[]
}

/** Find every server once: the highest layer that has it wins whole, and `--set` changes single keys of it. */
export function gatherServers(layers: readonly Layer[]): GatheredServers {
  const problems: Problem[] = []
  const warnings: ConfigWarning[] = []
  const bases = new Map<string, Layer>()
  const patches = new Map<string, Layer[]>()
  for (const layer of layers) {
    for (const name of serverNamesOf(layer)) {
      const base = bases.get(name)
      if (layer.scope === "command-line") patches.set(name, [...(patches.get(name) ?? []), layer])
      else if (base === undefined) bases.set(name, layer)
      else if (layer.scope === "dynamic") problems.push(alreadyConfigured(name, base, layer))
    }
  }

  const servers = [...new Set([...bases.keys(), ...patches.keys()])].map((name) => {
    const base = bases.get(name)
    const patch = patches.get(name) ?? []
    if (base?.scope === "managed") {
      for (const layer of patch) warnings.push(overruled(name, base, layer))
      return toServer(name, [base])
    }
    const server = toServer(name, base === undefined ? patch : [...patch, base])
    if (patch.length > 0) problems.push(...patchProblems(server, patch))
    return server
  })
  return { servers, problems, warnings }
}

function serverNamesOf(layer: Layer): readonly string[] {
  const servers = valueAt(layer.values, ["mcp_servers"])
  return isJsonObject(servers) ? Object.keys(servers) : []
}

function toServer(name: string, layers: readonly Layer[]): ConfiguredServer {
  const at = (path: KeyPath) => ["mcp_servers", name, ...path]
  const lowest = layers.at(-1)
  const ownerOf = (path: KeyPath) => layers.find((layer) => valueAt(layer.values, at(path)) !== undefined) ?? lowest
  const values = layers
    .map((layer) => valueAt(layer.values, at([])))
    .filter((table) => isJsonObject(table))
    .reduce<JsonObject>((merged, table) => mergeTables(merged, table), {})
  return {
    name,
    values,
    scope: lowest?.scope ?? "command-line",
    source: lowest?.sourceOf(at([])) ?? "",
    placeOf: (path) => ownerOf(path)?.placeOf(at(path)) ?? "",
    sourceOf: (path) => ownerOf(path)?.sourceOf(at(path)) ?? "",
    folderOf: (path) => ownerOf(path)?.folder ?? "",
  }
}

function patchProblems(server: ConfiguredServer, patch: readonly Layer[]): readonly Problem[] {
  const [highest] = patch
  if (highest === undefined) return []
  const prefix = ["mcp_servers", server.name]
  const findings = serverContradictions(server.name, server.values, "command-line")
  return toProblems(
    highest,
    findings.map((finding) => ({ ...finding, path: [...prefix, ...finding.path] })),
  )
}

function alreadyConfigured(name: string, base: Layer, layer: Layer): Problem {
  const path = ["mcp_servers", name]
  const message = `a server of this name is already configured at ${base.sourceOf(path)}; choose another name`
  return { code: "usage_error", where: layer.placeOf(path), message }
}

function overruled(name: string, base: Layer, layer: Layer): ConfigWarning {
  const path = ["mcp_servers", name]
  const message = `${layer.sourceOf(path)} has no effect: ${base.sourceOf(path)} sets ${formatPath(path)}`
  return { code: "overruled_by_managed", message }
}
