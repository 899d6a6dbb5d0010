import type { ConfigWarning } from "../../contract/config.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { faultOfEndpoint } from "../endpoint.ts"
import { type Layer, optionLayer } from "../layer.ts"
import { formatPath } from "../problem.ts"
import { parseJson } from "../text/parse-json.ts"
import { validateLayer } from "../validate.ts"
import { tableWith } from "../values.ts"
import { fetchCatalog } from "./fetch-catalog.ts"
import { importServers } from "./import-json.ts"

/** What a catalog gives: a layer of remote servers, if any, and a warning for all it does not give. */
export interface Catalog {
  readonly layer: Layer | null
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Load the catalog of the cloud scope. Whoever writes it decides nothing but which remote servers there are: it starts no
 * program and sees no variable. Never throws: a run does not depend on it.
 */
export async function readCatalog(url: string, env: Readonly<Record<string, string | undefined>>): Promise<Catalog> {
  const source = `catalog ${new URL(url).origin}${new URL(url).pathname}`
  const answer = await fetchCatalog(url, env)
  if (answer.kind === "unusable") return nothing(`${source} is not loaded: ${answer.why}`)
  const parsed = parseJson(answer.text)
  if (parsed.kind === "fault") return nothing(`${source} is not loaded: ${parsed.message}`)

  const { servers, ignored } = importServers(parsed.values)
  const warnings: ConfigWarning[] = ignored.map(({ path, warning }) => ({
    code: warning.code,
    message: `${source} ${formatPath(path)} ${warning.message}`,
  }))
  const usable: Record<string, unknown> = Object.create(null)
  for (const [name, server] of Object.entries(servers)) {
    const fault = await faultOf(name, server, source)
    if (fault === null) usable[name] = server
    else warnings.push({ code: "catalog_server_ignored", message: `${source} "${name}" is ignored: ${fault}` })
  }
  return { layer: layerOf(usable, source), warnings }
}

function nothing(message: string): Catalog {
  return { layer: null, warnings: [{ code: "catalog_not_loaded", message }] }
}

function layerOf(servers: JsonObject, source: string): Layer {
  return optionLayer("cloud", { values: tableWith(["mcp_servers"], servers), source, folder: "/" })
}

async function faultOf(name: string, server: unknown, source: string): Promise<string | null> {
  if (!isJsonObject(server)) return "it is not a table"
  if (server.command !== undefined || server.type === "stdio") return "a catalog can only name remote servers"
  if (JSON.stringify(server).includes("${")) return "a catalog sees no variables; configure this server in a file"
  const [problem] = await validateLayer(layerOf(tableWith([name], server), source))
  if (problem !== undefined) return problem.message
  return faultOfEndpoint(String(server.url))
}
