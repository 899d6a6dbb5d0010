import { dirname } from "node:path"
import { isJsonObject } from "../contract/json.ts"
import { customToolsOf } from "./custom-tools.ts"
import type { ConfiguredServer } from "./gather-servers.ts"
import type { Layer } from "./layer.ts"
import { maskServerValue } from "./mask.ts"
import { addUp, elementSource, listsThatAddUp, type MergedConfig } from "./merge.ts"
import type { Outputs } from "./output-paths.ts"
import { formatPath } from "./problem.ts"
import { allowlistsOf } from "./server-policy.ts"
import { remoteKeys, serverSchema, stdioKeys } from "./server-schema.ts"

/** One effective value and where it comes from; secrets are masked and variables not expanded. */
export interface EffectiveValue {
  /** Sections and keys; a number is the index of a rule. */
  readonly path: readonly (string | number)[]
  readonly value: unknown
  readonly source: string
}

/** What `config show` is made from. */
export interface EffectiveParts {
  readonly layers: readonly Layer[]
  readonly merged: MergedConfig
  readonly servers: readonly ConfiguredServer[]
  readonly outputs: Outputs
  /** Rules of the command line, which no layer holds. */
  readonly optionRules: readonly { readonly value: unknown; readonly source: string }[]
}

/** Every effective value with its source, section by section. */
export function effectiveValuesOf(parts: EffectiveParts): readonly EffectiveValue[] {
  return [
    ...sectionValues(parts, "agent"),
    ...sectionValues(parts, "mcp"),
    ...parts.servers.flatMap(serverValues),
    ...securityValues(parts.layers),
    ...sectionValues(parts, "security").filter(({ path }) => path[1] === "sandbox"),
    ...sectionValues(parts, "permissions"),
    ...ruleValues(parts),
    ...sectionValues(parts, "tools"),
    ...customToolValues(parts),
    ...hookValues(parts.layers),
    ...sectionValues(parts, "expect"),
    ...sectionValues(parts, "output").filter(({ path }) => path[1] === "findings"),
    ...outputValues(parts.outputs),
  ]
}

/** Shown entry by entry, each with its own source. */
const listsOfTables = new Set<string | undefined>(["rules", "custom"])

type Section = "agent" | "mcp" | "security" | "permissions" | "tools" | "expect" | "output"

function sectionValues({ merged }: EffectiveParts, section: Section): readonly EffectiveValue[] {
  return [...leavesOf([section], merged.values[section])]
    .filter(({ path }) => !listsOfTables.has(path[1]))
    .map(withSource)

  function withSource({ path, value }: { readonly path: readonly string[]; readonly value: unknown }): EffectiveValue {
    const setting = merged.settings.get(formatPath(path))
    const shown = path.at(-1) === "catalog_url" ? maskServerValue("url", value) : value
    return { path, value: shown, source: setting?.layer.sourceOf(setting.path) ?? "default" }
  }
}

function* leavesOf(path: readonly string[], value: unknown): Generator<{ path: readonly string[]; value: unknown }> {
  if (value === undefined) return
  if (!isJsonObject(value)) yield { path, value }
  else for (const [key, inner] of Object.entries(value)) yield* leavesOf([...path, key], inner)
}

function serverValues(server: ConfiguredServer): readonly EffectiveValue[] {
  return Object.entries(serverSchema.parse(server.values, { jitless: true })).flatMap(([key, value]) => {
    const isSet = Object.hasOwn(server.values, key)
    if (!isSet && !showsDefault(key, server)) return []
    const source = isSet ? server.sourceOf([key]) : "default"
    return [{ path: ["mcp_servers", server.name, key], value: maskServerValue(key, value), source }]
  })
}

/** Defaults of keys that the kind of server cannot have would only mislead. */
function showsDefault(key: string, server: ConfiguredServer): boolean {
  const { command, module } = server.values
  const foreign: readonly string[] = [
    ...(command === undefined ? stdioKeys : []),
    ...(command !== undefined || module !== undefined ? remoteKeys : []),
  ]
  return !foreign.includes(key)
}

function securityValues(layers: readonly Layer[]): readonly EffectiveValue[] {
  const lists = allowlistsOf(layers)
  const [first, ...others] = lists
  const allowed = first?.names.filter((name) => others.every((list) => list.names.includes(name))) ?? []
  const allowlist = {
    path: ["security", "mcp_server_allowlist"],
    value: allowed,
    source: sourcesOf(lists.map((list) => list.source)),
  }
  const added = [listsThatAddUp.denylist, listsThatAddUp.redact, listsThatAddUp.redactEnv].map((path) => {
    const elements = addUp(layers, path)
    return {
      path,
      value: [...new Set(elements.map((element) => element.value))],
      source: sourcesOf(elements.map((element) => element.layer.sourceOf(path))),
    }
  })
  return [allowlist, ...added]
}

function ruleValues({ layers, optionRules }: EffectiveParts): readonly EffectiveValue[] {
  const written = elementsOf(layers, listsThatAddUp.rules)
  return [...optionRules, ...written].map((rule, index) => ({ path: ["permissions", "rules", index], ...rule }))
}

function customToolValues({ layers }: EffectiveParts): readonly EffectiveValue[] {
  return customToolsOf(layers).map(({ source, ...value }, index) => ({
    path: ["tools", "custom", index],
    value,
    source,
  }))
}

function hookValues(layers: readonly Layer[]): readonly EffectiveValue[] {
  const { preToolUse, postToolUse, runStart, runEnd } = listsThatAddUp
  return [preToolUse, postToolUse, runStart, runEnd].flatMap((list) =>
    elementsOf(layers, list).map((hook, index) => ({ path: [...list, index], ...hook })),
  )
}

function elementsOf(layers: readonly Layer[], list: readonly string[]) {
  return addUp(layers, list).map((element) => ({ value: element.value, source: elementSource(element, list) }))
}

function outputValues(outputs: Outputs): readonly EffectiveValue[] {
  const { patch, ...files } = outputs
  const folder = patch === null ? null : { path: dirname(patch.path), source: patch.source }
  return Object.entries({ ...files, out_dir: folder }).flatMap(([name, output]) =>
    output === null ? [] : [{ path: ["output", name], value: output.path, source: output.source }],
  )
}

function sourcesOf(sources: readonly string[]): string {
  return sources.length === 0 ? "default" : [...new Set(sources)].join(", ")
}
