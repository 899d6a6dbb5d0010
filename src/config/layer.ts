import type { JsonObject } from "../contract/json.ts"
import type { KeyPath } from "./positions.ts"

/** Where a configuration comes from, highest first: a value of a higher scope wins. */
export const scopes = [
  "managed",
  "command-line",
  "environment",
  "local",
  "user",
  "project",
  "dynamic",
  "cloud",
] as const

/** The rank of a configuration. */
export type Scope = (typeof scopes)[number]

/** One configuration among those that are merged: a file, an option, a variable. */
export interface Layer {
  readonly scope: Scope
  /** As its author wrote it: snake_case, not yet checked, without defaults. */
  readonly values: JsonObject
  /** What file keys are relative to. */
  readonly folder: string
  /** The absolute path and the short name of the file, when it is one. */
  readonly file: { readonly path: string; readonly shown: string } | null
  /** Where a problem with a key is, to the column: `agent.toml:14:3`. */
  placeOf(path: KeyPath): string
  /** Where a person can change a key: `agent.toml:14`, `--max-turns`. */
  sourceOf(path: KeyPath): string
}

/** A layer without positions: an option or a variable, which is its own place. */
export function optionLayer(
  scope: Scope,
  option: { readonly values: JsonObject; readonly source: string; readonly folder: string },
): Layer {
  return {
    scope,
    values: option.values,
    folder: option.folder,
    file: null,
    placeOf: () => option.source,
    sourceOf: () => option.source,
  }
}
