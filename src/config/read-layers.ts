import { join, resolve } from "node:path"
import type { ConfigWarning } from "../contract/config.ts"
import type { Catalog } from "./exchange/catalog.ts"
import { type FileSearch, findFiles, withoutRepeats } from "./find-files.ts"
import { type Layer, scopes } from "./layer.ts"
import { type MergedConfig, mergeLayers } from "./merge.ts"
import { formatPath, type Problem, throwProblems } from "./problem.ts"
import { createPathNamer, type LayerFile, readLayer } from "./read-layer.ts"
import type { ReadGoverning } from "./trust/trust.ts"
import { validateLayer } from "./validate.ts"

/** All configuration there is for a run: read, checked and merged. */
export interface ReadLayers {
  /** Highest first. */
  readonly layers: readonly Layer[]
  readonly merged: MergedConfig
  readonly warnings: readonly ConfigWarning[]
}

/** Read every file, add the layers of the command line, check them all and merge them. Throws all problems at once. */
export async function readLayers(
  search: FileSearch & { readonly read: ReadGoverning },
  optionLayers: readonly Layer[],
): Promise<ReadLayers> {
  const found = findFiles(search)
  const read = await readAndCheck(found.files, search, optionLayers)
  const merged = mergeLayers(inOrder([...optionLayers, ...read.layers]))

  const imports = withoutRepeats(importsOf(merged, found.projectFolders), found.files)
  const imported = await readAndCheck(imports, search, [])
  const catalog = await catalogOf(merged, read.layers, search)
  const cloud = catalog.layer === null ? [] : [catalog.layer]
  return {
    layers: inOrder([...optionLayers, ...read.layers, ...imported.layers, ...cloud]),
    merged,
    warnings: [...found.warnings, ...read.warnings, ...imported.warnings, ...merged.warnings, ...catalog.warnings],
  }
}

/** The cloud scope: never beside a managed file, and never with --bare. */
async function catalogOf(
  { values, settings }: MergedConfig,
  files: readonly Layer[],
  search: FileSearch,
): Promise<Catalog> {
  const url = values.mcp.catalog_url
  const setting = settings.get("mcp.catalog_url")
  if (url === undefined || setting === undefined) return { layer: null, warnings: [] }
  const managed = files.find(({ scope }) => scope === "managed")
  if (managed === undefined && !search.bare) {
    const { readCatalog } = await import("./exchange/catalog.ts")
    return readCatalog(url, search.env)
  }
  const why =
    managed === undefined ? "--bare leaves it out" : `there is a managed configuration, ${managed.sourceOf([])}`
  const message = `${setting.layer.sourceOf(setting.path)} mcp.catalog_url is not loaded: ${why}`
  return { layer: null, warnings: [{ code: "catalog_not_loaded", message }] }
}

async function readAndCheck(
  files: readonly LayerFile[],
  search: FileSearch & { readonly read: ReadGoverning },
  optionLayers: readonly Layer[],
): Promise<{ readonly layers: readonly Layer[]; readonly warnings: readonly ConfigWarning[] }> {
  const showPath = createPathNamer(search.workspace, search.cwd)
  const read = await Promise.all(files.map((file) => readLayer(file, showPath, search.read)))
  const layers = read.flatMap(({ layer }) => (layer === null ? [] : [layer]))
  const problems: readonly Problem[] = [
    ...read.flatMap((result) => result.problems),
    ...(await Promise.all([...layers, ...optionLayers].map(validateLayer))).flat(),
  ]
  throwProblems(problems, "agent-run config schema prints every key; docs/configuration.md explains them.")
  return { layers, warnings: read.flatMap((result) => result.warnings) }
}

/** The files of `mcp.import`, the one that wins first. The default is looked for wherever agent.toml is. */
function importsOf({ values, settings }: MergedConfig, projectFolders: readonly string[]): readonly LayerFile[] {
  const names = values.mcp.import
  const setting = settings.get("mcp.import")
  if (setting === undefined) {
    return projectFolders.flatMap((folder) =>
      names.map((name) => ({ path: join(folder, name), scope: "project", namedBy: null }) as const),
    )
  }
  const { layer, path } = setting
  return names
    .map((name, index) => ({
      path: resolve(layer.folder, name),
      scope: "project" as const,
      namedBy: `${layer.placeOf([...path, index])} ${formatPath(path)}:`,
    }))
    .reverse()
}

function inOrder(layers: readonly Layer[]): readonly Layer[] {
  return [...layers].sort((first, second) => scopes.indexOf(first.scope) - scopes.indexOf(second.scope))
}
