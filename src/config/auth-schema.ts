import * as z from "zod/mini"
import { described, name } from "./schema-values.ts"

/** The keys of `auth = { … }` of a remote server. */
export const authSchema = z.strictObject({
  grant: described(
    z.optional(z.enum(["client_credentials", "jwt_bearer", "authorization_code"])),
    "What is exchanged for a token. Default: jwt_bearer with an identity, client_credentials with a secret or key, else authorization_code, which needs a browser.",
  ),
  client_id: described(z.optional(name), "The id of the client that is registered for agent-run."),
  client_secret_env: described(z.optional(name), "Name of the variable that holds the secret of the client."),
  private_key_env: described(
    z.optional(name),
    "Name of the variable that holds the private key of the client, as PEM (private_key_jwt).",
  ),
  private_key_file: described(z.optional(name), "File with the private key of the client, as PEM."),
  algorithm: described(
    z.optional(z.enum(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"])),
    "How the private key signs. Default: what fits the key.",
  ),
  identity: described(
    z.optional(z.enum(["github"])),
    "The identity of the CI job: github asks GitHub Actions for an OIDC token.",
  ),
  identity_token_env: described(z.optional(name), "Name of the variable that holds an OIDC token of the job."),
  identity_token_file: described(z.optional(name), "File with an OIDC token of the job, read anew for every token."),
  audience: described(
    z.optional(name),
    "Audience of the token asked of GitHub. Default: the issuer of the authorization server.",
  ),
  exchange_url: described(
    z.optional(name),
    "Token endpoint of an identity provider that first turns the identity into a grant for the server (cross-app access).",
  ),
  exchange_client_id: described(z.optional(name), "The id of the client at the identity provider."),
  exchange_client_secret_env: described(
    z.optional(name),
    "Name of the variable that holds the secret of the client at the identity provider.",
  ),
  scope: described(z.optional(name), "Scopes to ask for, separated by spaces. Default: what the server asks for."),
  issuer: described(z.optional(name), "The only authorization server that may see the credentials."),
  token_url: described(z.optional(name), "The token endpoint. Default: discovered from the server."),
})

/** `auth = { … }` as it is written. */
export type AuthValues = z.infer<typeof authSchema>
