import { UserError } from "../contract/user-error.ts"
import { type ProxyVariables, readProxyVariables } from "../util/proxy-variables.ts"

/** The proxies on the way to the model, or `null` when there are none. */
export function findProxy(env: Readonly<Record<string, string | undefined>>): ProxyVariables | null {
  const proxies = readProxyVariables(env)
  refuseOddProxy("HTTP_PROXY", proxies.httpProxy)
  refuseOddProxy("HTTPS_PROXY", proxies.httpsProxy)
  return proxies.httpProxy === "" && proxies.httpsProxy === "" ? null : proxies
}

/** A fetch that goes through the proxies. The fetch of Node 20 knows none, so undici's own is loaded here and only here. */
export async function createProxyFetch(proxies: ProxyVariables): Promise<typeof fetch> {
  const { EnvHttpProxyAgent, fetch: undiciFetch } = await import("undici")
  const dispatcher = new EnvHttpProxyAgent(proxies)
  const proxied = (input: string, init: object) => undiciFetch(input, { ...init, dispatcher })
  return proxied as unknown as typeof fetch
}

function refuseOddProxy(name: string, value: string): void {
  if (value === "" || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return
  throw new UserError("usage_error", "is not an http or https URL.", {
    where: name,
    hint: "A proxy looks like http://proxy.example:3128.",
  })
}
