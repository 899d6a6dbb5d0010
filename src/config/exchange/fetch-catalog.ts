import { TextDecoder } from "node:util"
import { readProxyVariables } from "../../util/proxy-variables.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The text of a catalog, or why there is none. */
export type CatalogText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unusable"; readonly why: string }

const timeoutMs = 5000
const maxBytes = 1024 * 1024

/** Get a catalog, through the proxy if there is one. Never throws; takes at most five seconds and one mebibyte; follows no redirect. */
export async function fetchCatalog(url: string, env: Environment): Promise<CatalogText> {
  const { EnvHttpProxyAgent, fetch } = await import("undici")
  const dispatcher = new EnvHttpProxyAgent(readProxyVariables(env))
  try {
    const headers = { accept: "application/json" }
    const response = await fetch(url, {
      dispatcher,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) return unusable(`it answered with status ${response.status}`)
    const chunks: Uint8Array[] = []
    let total = 0
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      total += chunk.length
      if (total > maxBytes) return unusable("it is larger than 1 MiB")
    }
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) }
  } catch (error) {
    return unusable(describe(error))
  } finally {
    await dispatcher.destroy()
  }
}

function unusable(why: string): CatalogText {
  return { kind: "unusable", why }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === "TimeoutError") return `it did not answer within ${timeoutMs / 1000} s`
  return error.cause instanceof Error ? error.cause.message : error.message
}
