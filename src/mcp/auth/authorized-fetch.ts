import type { FetchLike } from "@modelcontextprotocol/client"
import type { Authorizer } from "./authorizer.ts"

const maxAnswers = 3

/**
 * A fetch that carries the server's token and answers its challenges, a few times at most. Requests to other origins
 * pass as they are: the token is for one server.
 */
export function createAuthorizedFetch(fetch: FetchLike, authorizer: Authorizer, serverUrl: string): FetchLike {
  const { origin } = new URL(serverUrl)
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return fetch(url, init)
    for (let answers = 0; ; answers += 1) {
      const token = await authorizer.token(fetch)
      const headers = new Headers(init.headers)
      if (token !== null) headers.set("authorization", `Bearer ${token}`)
      const response = await fetch(url, { ...init, headers })
      if (answers === maxAnswers || (response.status !== 401 && response.status !== 403)) return response
      // A second 401 in a row would mean that fresh tokens are not wanted either.
      if (response.status === 401 && answers > 0) return response
      if (!(await authorizer.answer({ response, token }, fetch))) return response
      await response.body?.cancel()
    }
  }
}
