import type { JsonObject } from "../contract/json.ts"
import type { AuthValues } from "./auth-schema.ts"
import type { Finding } from "./describe-issue.ts"

const identityKeys = ["identity", "identity_token_env", "identity_token_file"] as const
const proofKeys = ["client_secret_env", "private_key_env", "private_key_file"] as const

/** What `auth = { … }` exchanges for a token when `grant` does not say. */
export function grantOf(auth: AuthValues | JsonObject): NonNullable<AuthValues["grant"]> {
  const { grant } = auth
  if (grant === "client_credentials" || grant === "jwt_bearer" || grant === "authorization_code") return grant
  if (identityKeys.some((key) => auth[key] !== undefined)) return "jwt_bearer"
  return proofKeys.some((key) => auth[key] !== undefined) ? "client_credentials" : "authorization_code"
}

/** What is wrong with `auth = { … }` although each of its values is right. */
export function authContradictions(auth: JsonObject): readonly Finding[] {
  if (Object.keys(auth).length === 0) return []
  const grant = grantOf(auth)
  const has = (key: string) => auth[key] !== undefined
  const findings: Finding[] = []
  const find = (key: string, message: string) => findings.push({ path: key === "" ? [] : [key], message })
  const oneOf = (keys: readonly string[]) => {
    const [, second] = keys.filter(has)
    if (second !== undefined) find(second, `set only one of ${keys.join(", ")}`)
  }

  oneOf(identityKeys)
  oneOf(proofKeys)
  if (grant !== "jwt_bearer") {
    for (const key of [...identityKeys, "audience", "exchange_url"]) {
      if (has(key)) find(key, `only for grant = "jwt_bearer"`)
    }
    if (!has("client_id")) find("", "needs client_id")
  }
  if (grant === "client_credentials" && !proofKeys.some(has)) find("", `needs one of ${proofKeys.join(", ")}`)
  if (grant === "jwt_bearer" && !identityKeys.some(has)) find("", `needs one of ${identityKeys.join(", ")}`)
  if (grant !== "client_credentials") {
    for (const key of ["private_key_env", "private_key_file"]) {
      if (has(key)) find(key, 'only for grant = "client_credentials"')
    }
  }
  if (has("client_secret_env") && !has("client_id")) find("client_secret_env", "needs client_id")
  if (has("algorithm") && !has("private_key_env") && !has("private_key_file")) find("algorithm", "needs a private key")
  if (has("audience") && !has("identity")) find("audience", 'only with identity = "github"')
  if (has("exchange_url") !== has("exchange_client_id")) find("", "exchange_url and exchange_client_id belong together")
  if (has("exchange_client_secret_env") && !has("exchange_url"))
    find("exchange_client_secret_env", "needs exchange_url")
  return findings
}
