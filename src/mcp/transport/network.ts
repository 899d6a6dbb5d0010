import type { FetchLike } from "@modelcontextprotocol/client"
import type { RemoteServerConfig } from "../../contract/server.ts"
import { readProxyVariables } from "../../util/proxy-variables.ts"

/** The network as one remote server sees it. */
export interface Network {
  readonly fetch: FetchLike
  close(): Promise<void>
}

/**
 * A network whose streams may be silent for hours while requests must begin to answer in time. The built-in fetch cuts
 * idle streams after five minutes and, on older Node, knows no proxy.
 */
export async function openNetwork(
  config: Pick<RemoteServerConfig, "startupTimeoutMs" | "discoveryTimeoutMs" | "toolTimeoutMs">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Network> {
  const { EnvHttpProxyAgent, fetch } = await import("undici")
  const dispatcher = new EnvHttpProxyAgent({
    ...readProxyVariables(env),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const send = (url: string | URL, init: RequestInit) =>
    fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
  const answerTimeoutMs = Math.max(config.startupTimeoutMs, config.discoveryTimeoutMs, config.toolTimeoutMs)
  return {
    fetch: (url, init = {}) => ((init.method ?? "GET") === "GET" ? send(url, init) : sendTimed(send, url, init)),
    close: () => dispatcher.destroy(),
  }

  async function sendTimed(request: typeof send, url: string | URL, init: RequestInit): Promise<Response> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error("no answer in time")), answerTimeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal
    try {
      return await request(url, { ...init, signal })
    } finally {
      clearTimeout(timer)
    }
  }
}
