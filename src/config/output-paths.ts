import { join, resolve } from "node:path"
import { type OutputName, type OutputPaths, outputFiles } from "../contract/output.ts"
import { type FlagOverrides, flagLayers } from "./flags.ts"
import type { Layer } from "./layer.ts"
import { valueAt } from "./values.ts"

/** Where the files go as far as the command line says; known before any file is read, so that a configuration error has a report too. */
export function outputPathsOfFlags(flags: FlagOverrides, cwd: string): OutputPaths {
  return pathsOf(findOutputs(flagLayers(flags, cwd)))
}

/** An output file, and where a person can change it. */
interface Output {
  readonly path: string
  readonly source: string
}

/** Every output by its name; `null` is "not written". */
export type Outputs = { readonly [Name in OutputName]: Output | null }

/** The outputs that the highest layer names, each by its own key or by `out_dir`. */
export function findOutputs(layers: readonly Layer[]): Outputs {
  return eachOutput((name) => findOutput(layers, name, outputFiles[name]))
}

/** Outputs without their sources. */
export function pathsOf(outputs: Outputs): OutputPaths {
  return eachOutput((name) => outputs[name]?.path ?? null)
}

function eachOutput<Value>(of: (name: OutputName) => Value): { readonly [Name in OutputName]: Value } {
  const names = Object.keys(outputFiles) as OutputName[]
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<OutputName, Value>
}

function findOutput(layers: readonly Layer[], key: OutputName, fixedName: string): Output | null {
  for (const layer of layers) {
    const file = valueAt(layer.values, ["output", key])
    if (typeof file === "string") {
      return { path: resolve(layer.folder, file), source: layer.sourceOf(["output", key]) }
    }
    const folder = valueAt(layer.values, ["output", "out_dir"])
    if (typeof folder === "string") {
      return { path: join(resolve(layer.folder, folder), fixedName), source: layer.sourceOf(["output", "out_dir"]) }
    }
  }
  return null
}
