import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** GitHub's API as far as the guard asks it: who may do what in acme/widgets. */
export interface GithubApi {
  readonly env: { readonly GITHUB_API_URL: string }
  /** `GET /path token`, in order. */
  readonly requests: readonly string[]
}

/** Start on loopback; a number instead of a permission is the status of every answer about that person. */
export async function startGithubApi(permissions: Readonly<Record<string, string | number>>): Promise<GithubApi> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    const login = /^\/repos\/acme\/widgets\/collaborators\/([^/]+)\/permission$/.exec(request.url ?? "")?.[1] ?? ""
    const permission = permissions[decodeURIComponent(login)] ?? 404
    response.writeHead(typeof permission === "number" ? permission : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(typeof permission === "number" ? { message: "no" } : { permission }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  return { env: { GITHUB_API_URL: `http://127.0.0.1:${port}` }, requests }
}
