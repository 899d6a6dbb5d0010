import { join, resolve } from "node:path"
import type { OutputPaths } from "../contract/config.ts"
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
export type Outputs = { readonly [Name in keyof OutputPaths]: Output | null }

/** The outputs that the highest layer names, each by its own key or by `out_dir`. */
export function findOutputs(layers: readonly Layer[]): Outputs {
  return {
    report: findOutput(layers, "report", "report.json"),
    transcript: findOutput(layers, "transcript", "transcript.jsonl"),
    summary: findOutput(layers, "summary", "summary.md"),
    patch: findOutput(layers, null, "changes.patch"),
  }
}

/** Outputs without their sources. */
export function pathsOf(outputs: Outputs): OutputPaths {
  return {
    report: outputs.report?.path ?? null,
    transcript: outputs.transcript?.path ?? null,
    summary: outputs.summary?.path ?? null,
    patch: outputs.patch?.path ?? null,
  }
}

function findOutput(layers: readonly Layer[], key: string | null, fixedName: string): Output | null {
  for (const layer of layers) {
    const file = key === null ? undefined : valueAt(layer.values, ["output", key])
    if (key !== null && typeof file === "string") {
      return { path: resolve(layer.folder, file), source: layer.sourceOf(["output", key]) }
    }
    const folder = valueAt(layer.values, ["output", "out_dir"])
    if (typeof folder === "string") {
      return { path: join(resolve(layer.folder, folder), fixedName), source: layer.sourceOf(["output", "out_dir"]) }
    }
  }
  return null
}
