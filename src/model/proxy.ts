import { UserError } from "../contract/user-error.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The proxies of this environment, or `null` when there are none. */
export interface ProxySettings {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/** Read the proxy variables; the lower-case spelling wins, as in curl. */
export function findProxy(env: Environment): ProxySettings | null {
  const httpProxy = read(env, "HTTP_PROXY")
  const httpsProxy = read(env, "HTTPS_PROXY")
  if (httpProxy === "" && httpsProxy === "") return null
  return { httpProxy, httpsProxy, noProxy: env.no_proxy ?? env.NO_PROXY ?? "" }
}

/** A fetch that goes through the proxies. The fetch of Node 20 knows none, so undici's own is loaded here and only here. */
export async function createProxyFetch(settings: ProxySettings): Promise<typeof fetch> {
  const { EnvHttpProxyAgent, fetch: undiciFetch } = await import("undici")
  const dispatcher = new EnvHttpProxyAgent(settings)
  const proxied = (input: string, init: object) => undiciFetch(input, { ...init, dispatcher })
  return proxied as unknown as typeof fetch
}

function read(env: Environment, name: "HTTP_PROXY" | "HTTPS_PROXY"): string {
  const value = (env[name.toLowerCase()] ?? env[name] ?? "").trim()
  if (value === "" || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return value
  throw new UserError("usage_error", "is not an http or https URL.", {
    where: name,
    hint: "A proxy looks like http://proxy.example:3128.",
  })
}
