import type { KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { AuthGrant, ClientProof, IdentitySource, ServerAuth } from "../contract/server-auth.ts"
import { grantOf } from "./auth-contradictions.ts"
import type { AuthValues } from "./auth-schema.ts"

/** How the parts of `auth = { … }` are read and where their problems go. */
export interface AuthReader {
  /** The value of a variable that must be set. */
  variable(key: keyof AuthValues, name: string): string
  /** A variable of the CI system itself. */
  systemVariable(name: string): string | undefined
  expand(key: keyof AuthValues, text: string): string
  folderOf(key: keyof AuthValues): string
  report(key: keyof AuthValues, message: string): void
  warn(message: string): void
}

/** `auth = { … }` with its variables, key and URLs read and checked. */
export function buildAuth(values: AuthValues, reader: AuthReader): ServerAuth {
  const auth = {
    grant: buildGrant(values, reader),
    scope: values.scope ?? null,
    issuer: readUrl("issuer", values, reader),
    tokenUrl: readUrl("token_url", values, reader),
  }
  if (values.client_secret_env !== undefined && auth.issuer === null && auth.tokenUrl === null) {
    reader.warn("without issuer or token_url the server decides which authorization server receives the client secret")
  }
  return auth
}

function buildGrant(values: AuthValues, reader: AuthReader): AuthGrant {
  const clientId = values.client_id === undefined ? null : reader.expand("client_id", values.client_id)
  const clientSecret = optionalVariable("client_secret_env", values, reader)
  const grant = grantOf(values)
  switch (grant) {
    case "client_credentials":
      return { kind: "client-credentials", clientId: clientId ?? "", proof: buildProof(values, clientSecret, reader) }
    case "jwt_bearer":
      return {
        kind: "jwt-bearer",
        clientId,
        clientSecret,
        identity: buildIdentity(values, reader),
        exchange: buildExchange(values, reader),
      }
    case "authorization_code":
      return { kind: "authorization-code", clientId: clientId ?? "", clientSecret }
    default:
      return grant satisfies never
  }
}

function buildProof(values: AuthValues, secret: string | null, reader: AuthReader): ClientProof {
  if (secret !== null) return { kind: "secret", secret }
  const key = values.private_key_file === undefined ? "private_key_env" : "private_key_file"
  const pem = readPem(values, reader)
  const privateKey = pem === null ? null : toPrivateKey(pem)
  if (privateKey === null) {
    if (pem !== null) reader.report(key, "is not a private key in PEM form without a passphrase")
    return { kind: "private-key", key: {}, algorithm: "" }
  }
  const algorithm = values.algorithm ?? algorithmFor(privateKey)
  return { kind: "private-key", key: { ...privateKey.export({ format: "jwk" }) }, algorithm }
}

function readPem(values: AuthValues, reader: AuthReader): string | null {
  if (values.private_key_file === undefined) {
    const text = optionalVariable("private_key_env", values, reader)
    return text === "" ? null : text
  }
  const path = resolve(reader.folderOf("private_key_file"), reader.expand("private_key_file", values.private_key_file))
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    reader.report("private_key_file", `cannot be read: ${error instanceof Error ? error.message : error}`)
    return null
  }
}

/** Variables of CI systems often hold a key on one line, with `\n` for its line breaks. */
function toPrivateKey(pem: string): KeyObject | null {
  try {
    // Loaded here, because few servers have a key and it takes 3 ms of every start.
    return process.getBuiltinModule("node:crypto").createPrivateKey(pem.replaceAll("\\n", "\n"))
  } catch {
    return null
  }
}

function algorithmFor(key: KeyObject): string {
  if (key.asymmetricKeyType === "rsa") return "RS256"
  if (key.asymmetricKeyType !== "ec") return "EdDSA"
  const curve = key.asymmetricKeyDetails?.namedCurve
  return curve === "secp384r1" ? "ES384" : curve === "secp521r1" ? "ES512" : "ES256"
}

function buildIdentity(values: AuthValues, reader: AuthReader): IdentitySource {
  if (values.identity_token_file !== undefined) {
    const path = reader.expand("identity_token_file", values.identity_token_file)
    return { kind: "file", path: resolve(reader.folderOf("identity_token_file"), path) }
  }
  if (values.identity_token_env !== undefined) {
    return { kind: "token", token: reader.variable("identity_token_env", values.identity_token_env) }
  }
  const requestUrl = reader.systemVariable("ACTIONS_ID_TOKEN_REQUEST_URL") ?? ""
  const requestToken = reader.systemVariable("ACTIONS_ID_TOKEN_REQUEST_TOKEN") ?? ""
  if (!URL.canParse(requestUrl) || requestToken === "") {
    reader.report("identity", "this job may not ask GitHub for a token; it needs permissions: id-token: write")
  }
  const audience = values.audience === undefined ? null : reader.expand("audience", values.audience)
  return { kind: "github", requestUrl, requestToken, audience }
}

function buildExchange(values: AuthValues, reader: AuthReader) {
  const tokenUrl = readUrl("exchange_url", values, reader)
  if (tokenUrl === null || values.exchange_client_id === undefined) return null
  const clientId = reader.expand("exchange_client_id", values.exchange_client_id)
  return { tokenUrl, clientId, clientSecret: optionalVariable("exchange_client_secret_env", values, reader) }
}

type VariableKey = "client_secret_env" | "private_key_env" | "exchange_client_secret_env"

function optionalVariable(key: VariableKey, values: AuthValues, reader: AuthReader): string | null {
  const name = values[key]
  return name === undefined ? null : reader.variable(key, name)
}

/** Credentials travel to these URLs: https, or this very machine. */
function readUrl(key: "issuer" | "token_url" | "exchange_url", values: AuthValues, reader: AuthReader): string | null {
  const written = values[key]
  if (written === undefined) return null
  const url = reader.expand(key, written)
  if (!URL.canParse(url)) reader.report(key, "is not a URL")
  else {
    const { protocol, hostname } = new URL(url)
    const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
    if (protocol !== "https:" && !(protocol === "http:" && isLoopback)) reader.report(key, "is not an https URL")
  }
  return url
}
