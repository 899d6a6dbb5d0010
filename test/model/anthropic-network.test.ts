import { createServer, request as httpRequest } from "node:http"
import { type AddressInfo, connect, type Server } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { afterEach, describe, expect, it } from "vitest"
import {
  answer,
  errorReply,
  forever,
  htmlReply,
  type MessagesServer,
  redirectTo,
  startMessagesServer,
  text,
} from "../support/messages-server.ts"
import { ask, errorsOf, gist, hello, modelFor } from "./ask.ts"

const done = answer([text("Done.")])
const key = { ANTHROPIC_API_KEY: "sk-ant-test-0123456789" }
const closers: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function serve(...args: Parameters<typeof startMessagesServer>): Promise<MessagesServer> {
  const server = await startMessagesServer(...args)
  closers.push(server.close)
  return server
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

describe("what answers is not the API", () => {
  it.each([
    ["200", htmlReply(200), 1],
    ["403", htmlReply(403), 1],
    ["502", htmlReply(502), 6],
  ])("F23 an HTML page with status %s is called an HTML page", async (status, reply, requests) => {
    const server = await serve([forever(reply)])
    const { answer } = await ask(modelFor(server))
    expect(answer).toMatchObject({
      code: "model_bad_response",
      message: expect.stringContaining(`${server.url} answered HTTP ${status} with an HTML page: <!DOCTYPE html>`),
      hint: expect.stringContaining("A proxy or a gateway answered in its place"),
    })
    expect(server.requests).toHaveLength(requests)
  })

  it("F23 JSON that is no stream is named as what it is", async () => {
    const server = await serve([
      ({ response }) => {
        response.setHeader("content-type", "application/json").end('{"ok": true}')
      },
    ])
    const { answer } = await ask(modelFor(server))
    expect(answer).toMatchObject({ code: "model_bad_response", message: expect.stringContaining('{"ok": true}') })
  })

  it.each([301, 302, 307, 308])(
    "F24 T7 a redirect (%i) to another host is refused and nothing, least of all the key, is sent there",
    async (status) => {
      const other = await serve([forever(done)])
      const server = await serve([forever(redirectTo(`${other.url}/v1/messages`, status))])
      const { answer } = await ask(modelFor(server))
      expect(answer).toMatchObject({
        code: "model_bad_response",
        message: expect.stringContaining(`HTTP ${status}, a redirect to ${other.url}. Redirects are not followed`),
      })
      expect([server.requests.length, other.connections()]).toEqual([1, 0])
    },
  )
})

describe("nothing answers", () => {
  it("F25 a refused connection is tried three times", async () => {
    const closed = await startMessagesServer([])
    await closed.close()
    const { answer, events } = await ask(modelFor(closed))
    expect(answer).toMatchObject({
      code: "model_unreachable",
      message: expect.stringMatching(/could not be reached: .*ECONNREFUSED.* \(after 3 attempts\)\.$/),
    })
    expect(errorsOf(events)).toHaveLength(2)
  })

  it("F25 a name that does not resolve is tried three times", async () => {
    const ANTHROPIC_BASE_URL = `https://${"a".repeat(64)}.invalid`
    const { answer, events } = await ask(modelFor({ env: { ...key, ANTHROPIC_BASE_URL } }))
    expect(answer).toMatchObject({
      code: "model_unreachable",
      message: expect.stringMatching(/ENOTFOUND.* \(after 3 attempts\)\.$/),
    })
    expect(errorsOf(events)).toHaveLength(2)
  })

  it("F26 a server that speaks no TLS is not asked twice", async () => {
    const server = await serve([])
    const ANTHROPIC_BASE_URL = server.url.replace("http:", "https:")
    const { answer, events } = await ask(modelFor({ env: { ...key, ANTHROPIC_BASE_URL } }))
    expect(answer).toMatchObject({ code: "model_unreachable", message: expect.stringMatching(/^No secure connection/) })
    expect([server.connections(), events]).toEqual([1, []])
  })

  it("F26 a failed handshake is not tried twice", async () => {
    let connections = 0
    const port = await listen(
      createTlsServer({}).on("connection", () => {
        connections += 1
      }),
    )
    const env = { ...key, ANTHROPIC_BASE_URL: `https://127.0.0.1:${port}` }
    const { answer, events } = await ask(modelFor({ env }))
    expect(answer).toMatchObject({ code: "model_unreachable", message: expect.stringMatching(/^No secure connection/) })
    expect([connections, events]).toEqual([1, []])
  })
})

describe("the endpoint", () => {
  it.each([
    ["http://api.example.com", "must be an https URL"],
    ["http://127.0.0.1.example.com", "must be an https URL"],
    ["http://localhost.example.com", "must be an https URL"],
    ["http://10.0.0.1", "must be an https URL"],
    ["ftp://localhost", "must be an https URL"],
    ["https://user:secret@api.example.com", "must not hold a user name"],
    ["api.example.com", "is not a URL"],
  ])("T7 %s is refused before anything is sent", (url, message) => {
    const fromFlag = () => modelFor({ env: key }, { baseUrl: url })
    const fromEnvironment = () => modelFor({ env: { ...key, ANTHROPIC_BASE_URL: url } })
    expect(fromFlag).toThrow(expect.objectContaining({ code: "usage_error", where: "--base-url" }))
    expect(fromEnvironment).toThrow(expect.objectContaining({ code: "usage_error", where: "ANTHROPIC_BASE_URL" }))
    expect(fromFlag).toThrow(message)
  })

  it.each(["https://gateway.example.com/anthropic/", "http://localhost:8080", "http://127.9.9.9", "http://[::1]:1"])(
    "T7 %s is accepted",
    (url) => {
      expect(modelFor({ env: key }, { baseUrl: url }).id).toBe("claude-sonnet-5-5")
    },
  )

  it("T7 the flag wins over the environment", async () => {
    const server = await serve([done])
    const env = { ...key, ANTHROPIC_BASE_URL: "https://127.0.0.1:1" }
    const { answer } = await ask(modelFor({ env }, { baseUrl: `${server.url}/` }))
    expect([gist(answer), server.requests[0]?.path]).toEqual(["Done.", "/v1/messages"])
  })
})

describe("a proxy", () => {
  async function startProxy() {
    const seen: string[] = []
    const proxy = createServer((incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.url}`)
      const { method, headers, url = "" } = incoming
      incoming.pipe(
        httpRequest(url, { method, headers }, (reply) => {
          outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
          reply.pipe(outgoing)
        }),
      )
    })
    proxy.on("connect", (incoming, socket, head) => {
      seen.push(`CONNECT ${incoming.url}`)
      if (!incoming.url?.startsWith("127.0.0.1:")) {
        socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
        return
      }
      const upstream = connect(Number(incoming.url.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
        upstream.write(head)
        upstream.pipe(socket).pipe(upstream)
      })
      upstream.on("error", () => socket.destroy())
      socket.on("error", () => upstream.destroy())
    })
    const port = await listen(proxy)
    closers.unshift(async () => proxy.closeAllConnections())
    return { url: `http://127.0.0.1:${port}`, seen }
  }

  it("HTTP_PROXY is used for the model, with streams and errors as without one", async () => {
    const server = await serve([errorReply(429, "rate_limit_error", { headers: { "retry-after": "0.1" } }), done])
    const proxy = await startProxy()
    const { answer, events } = await ask(modelFor({ env: { ...server.env, HTTP_PROXY: proxy.url } }))
    expect(gist(answer)).toBe("Done.")
    expect(events).toMatchObject([{ delay_ms: 100 }])
    expect(proxy.seen[0]).toContain(new URL(server.url).host)
  })

  it("NO_PROXY keeps the model off the proxy", async () => {
    const server = await serve([done])
    const proxy = await startProxy()
    const env = { ...server.env, HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" }
    const { answer } = await ask(modelFor({ env }))
    expect([gist(answer), proxy.seen]).toEqual(["Done.", []])
  })

  it("HTTPS_PROXY gets a CONNECT for an https API, and its refusal is a clear failure", async () => {
    const proxy = await startProxy()
    const env = { ...key, ANTHROPIC_BASE_URL: "https://api.invalid", https_proxy: proxy.url }
    const { answer } = await ask(modelFor({ env }))
    expect(answer).toMatchObject({ code: "model_unreachable", message: expect.stringContaining("502") })
    expect(proxy.seen[0]).toBe("CONNECT api.invalid:443")
  })

  it("a proxy variable that is no URL is the user's mistake", () => {
    const create = () => modelFor({ env: { ...key, HTTPS_PROXY: "proxy example" } })
    expect(create).toThrow(expect.objectContaining({ code: "usage_error", where: "HTTPS_PROXY" }))
  })
})

describe("credentials", () => {
  it.each([
    ["none", {}],
    ["an empty key", { ANTHROPIC_API_KEY: " " }],
    ["half of a federation", { ANTHROPIC_FEDERATION_RULE_ID: "rule", ANTHROPIC_ORGANIZATION_ID: "org" }],
    ["a key with a line break inside", { ANTHROPIC_API_KEY: "sk-ant\nx" }],
  ])("%s in the environment is refused", (_name, env) => {
    expect(() => modelFor({ env })).toThrow(expect.objectContaining({ code: "missing_api_key" }))
  })

  it.each([
    ["an API key", { ANTHROPIC_API_KEY: "sk-1\n" }, { authorization: "Bearer sk-1", version: "2026-10-21" }],
    ["an auth token", { ANTHROPIC_AUTH_TOKEN: "t-1" }, { authorization: "Bearer t-1", version: "2026-10-21" }],
    [
      "an API key for an older gateway",
      { ANTHROPIC_API_KEY: "sk-1", AGENT_RUN_API_VERSION: "2023-06-01" },
      { apiKey: "sk-1", version: "2023-06-01" },
    ],
  ])("%s is sent as its API wants it", async (_name, env, expected) => {
    const server = await serve([done])
    await ask(modelFor({ env: { ...env, ANTHROPIC_BASE_URL: server.url } }))
    const headers = server.requests[0]?.headers
    expect({
      authorization: headers?.authorization,
      apiKey: headers?.["x-api-key"],
      version: headers?.["anthropic-version"],
    }).toEqual({ authorization: undefined, apiKey: undefined, ...expected })
  })

  it("federation exchanges the identity token for one that is sent", async () => {
    const server = await serve(({ path }) => {
      if (path.startsWith("/v1/messages")) return done
      return ({ response }) => {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ access_token: "minted", token_type: "Bearer", expires_in: 3600 }))
      }
    })
    const env = {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_FEDERATION_RULE_ID: "rule",
      ANTHROPIC_ORGANIZATION_ID: "org",
      ANTHROPIC_IDENTITY_TOKEN: "identity",
    }
    const { answer } = await ask(modelFor({ env }), hello)
    expect(gist(answer)).toBe("Done.")
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer minted"])
  })
})
