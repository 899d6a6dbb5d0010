type Environment = Readonly<Record<string, string | undefined>>

/** The proxies that an environment names; empty when it names none. */
export interface ProxyVariables {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/** Read the proxy variables; the lower-case spelling wins, as in curl. */
export function readProxyVariables(env: Environment): ProxyVariables {
  const read = (name: string) => (env[name.toLowerCase()] ?? env[name] ?? "").trim()
  return { httpProxy: read("HTTP_PROXY"), httpsProxy: read("HTTPS_PROXY"), noProxy: read("NO_PROXY") }
}
