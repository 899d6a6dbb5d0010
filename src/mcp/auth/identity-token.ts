import { readFile } from "node:fs/promises"
import type { FetchLike } from "@modelcontextprotocol/client"
import { isJsonObject } from "../../contract/json.ts"
import type { IdentitySource } from "../../contract/server-auth.ts"
import { createRefusal } from "./refusal.ts"

const maxTokenLength = 64 * 1024

/** The token that says who this job is; `issuer` is who will read it. */
export async function readIdentityToken(source: IdentitySource, issuer: string, fetch: FetchLike): Promise<string> {
  switch (source.kind) {
    case "token":
      return checked(source.token, "the variable of identity_token_env")
    case "file":
      return checked(await readTokenFile(source.path), source.path)
    case "github":
      return checked(await askGithub(source, issuer, fetch), "GitHub")
    default:
      return source satisfies never
  }
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    throw createRefusal(`the identity token ${path} cannot be read`, "Check identity_token_file.", cause)
  }
}

async function askGithub(
  { requestUrl, requestToken, audience }: Extract<IdentitySource, { kind: "github" }>,
  issuer: string,
  fetch: FetchLike,
): Promise<string> {
  const url = new URL(requestUrl)
  url.searchParams.set("audience", audience ?? issuer)
  const headers = { authorization: `bearer ${requestToken}`, accept: "application/json" }
  const response = await fetch(url, { headers, redirect: "error" })
  const body: unknown = await response.json().catch(() => null)
  if (response.ok && isJsonObject(body) && typeof body.value === "string") return body.value
  throw createRefusal(`GitHub gave no identity token (HTTP ${response.status})`)
}

function checked(text: string, from: string): string {
  const token = text.trim()
  if (token !== "" && token.length <= maxTokenLength && !/\s/.test(token)) return token
  throw createRefusal(`what ${from} holds is no identity token`)
}
