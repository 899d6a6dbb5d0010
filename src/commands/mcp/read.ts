import { type RawContents, readContents } from "../../mcp/read-contents.ts"
import type { ServerSession } from "../connect-servers.ts"
import { chooseServer } from "./choose-server.ts"
import type { McpInput } from "./define-action.ts"
import type { readOptions } from "./options.ts"
import { firstTextOf } from "./result-text.ts"

/** `agent-run mcp read URI`: the contents of a resource on stdout, text as text and binary as bytes. */
export async function readResource(
  session: ServerSession,
  { words, options }: McpInput<"uri", typeof readOptions>,
): Promise<number> {
  const pool = await session.connect()
  const chosen = chooseServer(session, pool, options.server)
  if (typeof chosen === "number") return chosen
  const wanted = { uri: words.uri ?? "", server: options.server }
  const reading = await readContents(pool.connections(), wanted, session.signal)
  if (!reading.ok) {
    const isMistake = reading.result.errorCode === "invalid_input"
    if (!isMistake) return session.fail("no_call_succeeded", firstTextOf(reading.result))
    return session.fail("usage_error", firstTextOf(reading.result), "agent-run mcp resources lists what there is.")
  }
  if (session.json) session.print({ server: reading.server, contents: reading.contents.map(toJson) }, () => "")
  else for (const part of reading.contents) session.write(rawOf(part))
  return 0
}

function rawOf({ body }: RawContents): string | Uint8Array {
  return "text" in body ? body.text : Buffer.from(body.base64, "base64")
}

function toJson({ uri, mimeType, body }: RawContents) {
  return { uri, mime_type: mimeType, ...body }
}
