import type { Fault } from "./fault.ts"

/** A request that got no response at all, by the code that the network or TLS gave it. */
export function faultOfNetworkError(error: unknown, endpoint: string): Fault {
  const causes = causeChain(error)
  const codes = causes.map((cause) => ("code" in cause ? String(cause.code) : ""))
  const words = causes.at(-1)?.message ?? String(error)
  const code = codes.findLast((candidate) => candidate !== "")
  const detail = code === undefined || words.includes(code) ? words : `${words} (${code})`

  if (causes.some((cause) => cause.name === "WorkloadIdentityError")) {
    return {
      code: "model_auth",
      message: `The federated credentials for the model API could not be had: ${detail}`,
      hint: "Check ANTHROPIC_FEDERATION_RULE_ID, ANTHROPIC_ORGANIZATION_ID and the identity token.",
      retry: "never",
      retryAfterMs: null,
    }
  }
  if (codes.some(isTlsCode)) {
    return {
      code: "model_unreachable",
      message: `No secure connection to ${endpoint}: ${detail}`,
      hint: "Behind a proxy that opens TLS, point NODE_EXTRA_CA_CERTS to its certificate.",
      retry: "never",
      retryAfterMs: null,
    }
  }
  const reachedNobody = codes.some((candidate) => unreachableCodes.has(candidate))
  return {
    code: "model_unreachable",
    message: `${endpoint} could not be reached: ${detail}`,
    hint: "Check the network, --base-url or ANTHROPIC_BASE_URL, and HTTPS_PROXY and NO_PROXY.",
    retry: reachedNobody ? "unreachable" : "soon",
    retryAfterMs: null,
  }
}

const unreachableCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
])

function isTlsCode(code: string): boolean {
  return /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_|UNABLE_TO_(GET|VERIFY)_)/.test(
    code,
  )
}

/** An error and its causes, outermost first; of several tries to connect (IPv6, IPv4) the last counts. */
function causeChain(error: unknown): Error[] {
  const chain: Error[] = []
  let next = error
  while (next instanceof Error && chain.length < 10) {
    chain.push(next)
    next = next.cause ?? (next instanceof AggregateError ? next.errors.at(-1) : undefined)
  }
  return chain
}
