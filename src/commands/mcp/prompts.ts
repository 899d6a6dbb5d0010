import { promptsOf } from "../../mcp/prompts.ts"
import type { ServerSession } from "../connect-servers.ts"
import { renderTable } from "../table.ts"
import { chooseServer } from "./choose-server.ts"
import type { McpInput } from "./define-action.ts"

/** `agent-run mcp prompts [SERVER]`: the prompts of servers, by the name that --prompt takes. */
export async function listPrompts(
  session: ServerSession,
  { words }: McpInput<"server", Record<never, never>>,
): Promise<number> {
  const pool = await session.connect()
  const chosen = chooseServer(session, pool, words.server)
  if (typeof chosen === "number") return chosen
  const prompts = pool
    .connections()
    .filter(({ config }) => chosen.includes(config.name))
    .flatMap(promptsOf)
  session.print({ prompts }, () =>
    renderTable(
      ["prompt", "arguments", "description"],
      prompts.map((prompt) => [
        `${prompt.server}/${prompt.name}`,
        prompt.arguments.map(({ name, required }) => (required ? name : `[${name}]`)).join(" "),
        prompt.description ?? "",
      ]),
      "No prompts.",
    ),
  )
  return 0
}
