import type { ServerResource } from "../../mcp/discover.ts"
import type { ServerSession } from "../connect-servers.ts"
import { renderTable } from "../table.ts"
import { chooseServer } from "./choose-server.ts"
import type { McpInput } from "./define-action.ts"

/** `agent-run mcp resources [SERVER]`: the resources and resource templates that servers list. */
export async function listResources(
  session: ServerSession,
  { words }: McpInput<"server", Record<never, never>>,
): Promise<number> {
  const pool = await session.connect()
  const chosen = chooseServer(session, pool, words.server)
  if (typeof chosen === "number") return chosen
  const resources = pool
    .connections()
    .filter(({ config }) => chosen.includes(config.name))
    .flatMap(({ config, catalog }) => [
      ...catalog().resources.map((resource) => describe(config.name, resource, false)),
      ...catalog().templates.map((resource) => describe(config.name, resource, true)),
    ])
  session.print({ resources }, () =>
    renderTable(
      ["server", "uri", "name", "type", "description"],
      resources.map(({ server, uri, template, name, mime_type, description }) => [
        server,
        template ? `${uri} (template)` : uri,
        name ?? "",
        mime_type ?? "",
        description ?? "",
      ]),
      "No resources.",
    ),
  )
  return 0
}

function describe(server: string, { uri, details }: ServerResource, template: boolean) {
  const textOf = (value: unknown) => (typeof value === "string" ? value : null)
  return {
    server,
    uri,
    template,
    name: textOf(details.title) ?? textOf(details.name),
    mime_type: textOf(details.mimeType),
    description: textOf(details.description),
  }
}
