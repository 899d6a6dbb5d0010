import { isJsonObject, type JsonObject } from "../contract/json.ts"
import type { ToolResult } from "../contract/tool.ts"
import { adaptFailure } from "./adapt-tool.ts"
import type { Connection } from "./connection.ts"
import { chooseReader } from "./resources.ts"

/** One part of a resource as its server sent it; binary contents stay base64. */
export interface RawContents {
  readonly uri: string
  readonly mimeType: string | null
  readonly body: { readonly text: string } | { readonly base64: string }
}

/** A resource, or a failed result that says why there is none. */
export type RawReading =
  | { readonly ok: true; readonly server: string; readonly contents: readonly RawContents[] }
  | { readonly ok: false; readonly result: ToolResult }

/** Read a resource for a person or a program: nothing is cut and nothing turned into a note. */
export async function readContents(
  connections: readonly Connection[],
  wanted: { readonly uri: string; readonly server: string | undefined },
  signal: AbortSignal,
): Promise<RawReading> {
  const connection = chooseReader(connections, wanted.uri, wanted.server)
  if ("isError" in connection) return { ok: false, result: connection }
  const { uri } = wanted
  const answer = await connection.request("resources/read", { uri }, { signal })
  if (!answer.ok) return { ok: false, result: adaptFailure(answer.failure, connection, `reading ${uri}`) }
  const parts = isJsonObject(answer.result) && Array.isArray(answer.result.contents) ? answer.result.contents : []
  return {
    ok: true,
    server: connection.config.name,
    contents: parts.filter(isJsonObject).flatMap((part) => readPart(part, uri)),
  }
}

function readPart(part: JsonObject, askedFor: string): readonly RawContents[] {
  const about = {
    uri: typeof part.uri === "string" ? part.uri : askedFor,
    mimeType: typeof part.mimeType === "string" ? part.mimeType : null,
  }
  if (typeof part.text === "string") return [{ ...about, body: { text: part.text } }]
  return typeof part.blob === "string" ? [{ ...about, body: { base64: part.blob } }] : []
}
