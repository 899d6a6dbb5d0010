import type { Stats } from "node:fs"
import { dirname, relative } from "node:path"
import type { ConfigWarning } from "../contract/config.ts"
import { importServers } from "./exchange/import-json.ts"
import type { Layer, Scope } from "./layer.ts"
import type { KeyPath, Position } from "./positions.ts"
import { formatPath, type Problem } from "./problem.ts"
import { parseJson } from "./text/parse-json.ts"
import { parseToml } from "./text/parse-toml.ts"
import type { ParsedText } from "./text/parsed-text.ts"
import type { ReadGoverning } from "./trust/trust.ts"
import { tableWith } from "./values.ts"

const maxConfigBytes = 1024 * 1024

/** A configuration file to read. */
export interface LayerFile {
  readonly path: string
  readonly scope: Scope
  /** Who asked for it, when it must exist: `--config`, `agent.toml:3:1 mcp.import`. A file found by itself may be missing. */
  readonly namedBy: string | null
  /** The only user whose file counts, when it may not be anybody's. */
  readonly ownerId?: number
}

/** What became of a configuration file: a layer, nothing there, or problems. */
export interface ReadLayer {
  readonly layer: Layer | null
  readonly problems: readonly Problem[]
  readonly warnings: readonly ConfigWarning[]
}

/** Read one configuration file, TOML or JSON by its name. */
export async function readLayer(
  file: LayerFile,
  showPath: (path: string) => string,
  read: ReadGoverning,
): Promise<ReadLayer> {
  const shown = showPath(file.path)
  const content = await read(file.path, maxConfigBytes)
  if (content.kind === "missing") {
    return file.namedBy === null ? nothing : failed(file.namedBy, `${shown} does not exist`)
  }
  if (content.kind === "unusable") return failed(shown, content.why)
  const distrust = distrustOf(file, content.stats)
  if (distrust !== null)
    return { ...nothing, warnings: [{ code: "config_ignored", message: `${shown} is ignored: ${distrust}` }] }
  const isJson = file.path.endsWith(".json")
  const parsed = isJson ? parseJson(content.text) : parseToml(content.text)
  if (parsed.kind === "fault") return failed(formatPlace(shown, parsed.position), parsed.message)
  return { ...nothing, ...(isJson ? jsonLayer(file, shown, parsed) : tomlLayer(file, shown, parsed)) }
}

/** The shortest way to name a path for a person: from the workspace, from the working folder, or whole. */
export function createPathNamer(workspace: string, cwd: string): (path: string) => string {
  return (path) => {
    const names = [relative(workspace, path), relative(cwd, path), path].filter((name) => name !== "")
    return names.reduce((shortest, name) => (name.length < shortest.length ? name : shortest))
  }
}

const nothing: ReadLayer = { layer: null, problems: [], warnings: [] }

function failed(where: string, message: string): ReadLayer {
  return { ...nothing, problems: [{ code: "config_error", where, message }] }
}

function distrustOf(file: LayerFile, stats: Stats | null): string | null {
  if (file.ownerId === undefined) return null
  if (stats?.uid !== file.ownerId) return "it does not belong to root"
  return (stats.mode & 0o002) === 0 ? null : "everybody may write it"
}

type Values = Extract<ParsedText, { kind: "values" }>

interface NewLayer {
  readonly layer: Layer
  readonly warnings: readonly ConfigWarning[]
}

function tomlLayer(file: LayerFile, shown: string, { values, positions }: Values): NewLayer {
  return { layer: fileLayer(file, shown, { values, positionOf: positions.find }), warnings: [] }
}

function jsonLayer(file: LayerFile, shown: string, { values, positions }: Values): NewLayer {
  const { servers, ignored, jsonPathOf } = importServers(values)
  const layer = fileLayer(file, shown, {
    values: tableWith(["mcp_servers"], servers),
    positionOf: (path) => positions.find(jsonPathOf(path)),
  })
  const warnings = ignored.map(({ path, warning }) => ({
    code: warning.code,
    message: `${formatPlace(shown, positions.find(path))} ${formatPath(path)} ${warning.message}`,
  }))
  return { layer, warnings }
}

function fileLayer(
  file: LayerFile,
  shown: string,
  content: { readonly values: Layer["values"]; positionOf(path: KeyPath): Position | null },
): Layer {
  return {
    scope: file.scope,
    values: content.values,
    folder: dirname(file.path),
    file: { path: file.path, shown },
    placeOf: (path) => formatPlace(shown, content.positionOf(path)),
    sourceOf(path) {
      const position = content.positionOf(path)
      return position === null ? shown : `${shown}:${position.line}`
    },
  }
}

function formatPlace(shown: string, position: Position | null): string {
  return position === null ? shown : `${shown}:${position.line}:${position.column}`
}
