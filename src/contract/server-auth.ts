/** How a server's tokens are obtained without a person: `auth = { … }` with its variables read. */
export interface ServerAuth {
  readonly grant: AuthGrant
  /** Space-separated; `null` leaves the choice to the server. */
  readonly scope: string | null
  /** The only authorization server that may see the credentials. */
  readonly issuer: string | null
  /** The token endpoint; without it, it is discovered from the server. */
  readonly tokenUrl: string | null
}

/** What is exchanged for a token. */
export type AuthGrant =
  /** The credentials of this client. */
  | { readonly kind: "client-credentials"; readonly clientId: string; readonly proof: ClientProof }
  /** The identity that the CI system gives to a job. */
  | {
      readonly kind: "jwt-bearer"
      readonly clientId: string | null
      readonly clientSecret: string | null
      readonly identity: IdentitySource
      readonly exchange: IdentityExchange | null
    }
  /** The consent of a person in a browser, for a client that is already registered. */
  | { readonly kind: "authorization-code"; readonly clientId: string; readonly clientSecret: string | null }

/** How a client proves who it is. */
export type ClientProof =
  | { readonly kind: "secret"; readonly secret: string }
  | {
      readonly kind: "private-key"
      /** A JSON Web Key. */
      readonly key: Readonly<Record<string, unknown>>
      readonly algorithm: string
    }

/** Where an identity token comes from. */
export type IdentitySource =
  | { readonly kind: "token"; readonly token: string }
  /** Read anew for every token: such files are replaced before they expire. */
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "github"
      readonly requestUrl: string
      readonly requestToken: string
      /** `null` is the authorization server's own name. */
      readonly audience: string | null
    }

/** An identity provider that turns an identity token into a grant for the server's authorization server. */
export interface IdentityExchange {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string | null
}

/** A person with a browser, which only a program that embeds agent-run can offer. */
export interface BrowserAuthorization {
  /** Where authorization servers send the browser back to. */
  readonly redirectUrl: string
  /** The https URL of a document about this client, for authorization servers that take one instead of a registration. */
  readonly clientMetadataUrl?: string
  /** Show this URL to the person; resolves with the URL the browser was sent back to. */
  authorize(url: URL): Promise<URL>
}
