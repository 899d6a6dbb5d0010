import { UserError } from "../contract/user-error.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What opens the API, from the environment and from nowhere else. */
export type Credentials =
  | { readonly kind: "api_key"; readonly value: string }
  | { readonly kind: "auth_token"; readonly value: string }
  | {
      readonly kind: "federation"
      readonly ruleId: string
      readonly organizationId: string
      readonly serviceAccountId: string | undefined
      readonly workspaceId: string | undefined
      readonly identityToken: { readonly file: string } | { readonly value: string }
    }

/** Find the credentials, or say which variable is missing. */
export function findCredentials(env: Environment): Credentials {
  const apiKey = read(env, "ANTHROPIC_API_KEY")
  if (apiKey !== undefined) return { kind: "api_key", value: headerSafe("ANTHROPIC_API_KEY", apiKey) }
  const authToken = read(env, "ANTHROPIC_AUTH_TOKEN")
  if (authToken !== undefined) return { kind: "auth_token", value: headerSafe("ANTHROPIC_AUTH_TOKEN", authToken) }

  const ruleId = read(env, "ANTHROPIC_FEDERATION_RULE_ID")
  const organizationId = read(env, "ANTHROPIC_ORGANIZATION_ID")
  const file = read(env, "ANTHROPIC_IDENTITY_TOKEN_FILE")
  const value = read(env, "ANTHROPIC_IDENTITY_TOKEN")
  const identityToken = file === undefined ? value && { value } : { file }
  if (ruleId === undefined || organizationId === undefined || !identityToken) {
    throw new UserError("missing_api_key", "No credentials for the model are in the environment.", {
      where: "ANTHROPIC_API_KEY:",
      hint: "Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or for federation ANTHROPIC_FEDERATION_RULE_ID, ANTHROPIC_ORGANIZATION_ID and ANTHROPIC_IDENTITY_TOKEN_FILE. Without any, --script FILE runs a scripted model.",
    })
  }
  const serviceAccountId = read(env, "ANTHROPIC_SERVICE_ACCOUNT_ID")
  const workspaceId = read(env, "ANTHROPIC_WORKSPACE_ID")
  return { kind: "federation", ruleId, organizationId, serviceAccountId, workspaceId, identityToken }
}

/** Where the API is when nobody says otherwise. */
export const publicEndpoint = "https://api.anthropic.com"

/** Where the API is: the flag, the environment, or the public one. The key travels encrypted or stays on this machine. */
export function findEndpoint(baseUrl: string | null, env: Environment): string {
  const fromEnvironment = read(env, "ANTHROPIC_BASE_URL")
  const given = baseUrl ?? fromEnvironment
  if (given === undefined) return publicEndpoint
  const where = baseUrl === null ? "ANTHROPIC_BASE_URL" : "--base-url"
  if (!URL.canParse(given)) throw new UserError("usage_error", `is not a URL: ${JSON.stringify(given)}`, { where })

  const url = new URL(given)
  if (url.username !== "" || url.password !== "") {
    throw new UserError("usage_error", "must not hold a user name or a password.", {
      where,
      hint: "Credentials come from ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
    })
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new UserError("usage_error", `must be an https URL, since the key is sent there: ${JSON.stringify(given)}`, {
      where,
      hint: "Plain http is accepted for this machine only (localhost, 127.0.0.1, [::1]).",
    })
  }
  return given.replace(/\/+$/, "")
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Secrets in CI often end in a newline, and an unset one is often an empty string. */
function read(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined
}

function headerSafe(name: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value
  throw new UserError("missing_api_key", "holds characters that no key has, such as spaces or line breaks.", {
    where: name,
    hint: "Check how the secret was stored.",
  })
}
