import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import type { McpSettings } from "../../src/contract/config.ts"
import type { RunEventBody } from "../../src/contract/event.ts"
import type { JsonObject } from "../../src/contract/json.ts"
import type {
  DisabledServer,
  RemoteServerConfig,
  SdkServerConfig,
  ServerConfig,
  StdioServerConfig,
} from "../../src/contract/server.ts"
import type { ToolResult } from "../../src/contract/tool.ts"
import type { DeadLetters } from "../../src/mcp/life/dead-letters.ts"
import { createPool, type Pool, type PoolOptions } from "../../src/mcp/pool.ts"
import type { RequestSources } from "../../src/mcp/requests/server-desk.ts"

const fixturePath = fileURLToPath(new URL("../fixtures/servers/fixture-server.mjs", import.meta.url))

const settings = {
  enabled: true,
  required: false,
  shared: false,
  startupTimeoutMs: 15_000,
  discoveryTimeoutMs: 15_000,
  toolTimeoutMs: 60_000,
  enabledTools: ["*"],
  disabledTools: [],
  trustHints: false,
  roots: false,
  sampling: null,
  elicitation: "decline",
  alwaysLoad: [],
  protocol: "auto",
  source: "agent.toml:1",
} as const

const mcpSettings: McpSettings = {
  lazyLoading: "auto",
  deferredTools: "auto",
  summaryDescriptionLimit: 100,
  maxToolsPerSearch: 5,
  alwaysLoadTools: [],
  descriptionLimit: 2048,
  localConcurrency: 3,
  remoteConcurrency: 20,
  retry: { maxAttempts: 3, initialMs: 5, maxMs: 20 },
  deadLetterFile: null,
}

/** The fixture server as a configured stdio server; its switches are described at its top. */
export function fixtureServer(
  name: string,
  switches: readonly string[] = [],
  more: Partial<StdioServerConfig> = {},
): StdioServerConfig {
  return commandServer(name, [process.execPath, fixturePath, ...switches], more)
}

/** Any command as a configured stdio server. */
export function commandServer(
  name: string,
  [command = "", ...args]: readonly string[],
  more: Partial<StdioServerConfig> = {},
): StdioServerConfig {
  const env = { PATH: process.env.PATH ?? "" }
  return { ...settings, name, transport: "stdio", command, args, cwd: process.cwd(), env, shutdownGraceMs: 50, ...more }
}

/** A URL as a configured remote server. */
export function remoteServer(name: string, url: string, more: Partial<RemoteServerConfig> = {}): RemoteServerConfig {
  return { ...settings, name, transport: "url", url, headers: {}, auth: null, ...more }
}

/** A module as a configured server inside our own process. */
export function moduleServer(name: string, module: string, more: Partial<SdkServerConfig> = {}): SdkServerConfig {
  return { ...settings, name, transport: "sdk", module, ...more }
}

/** A started pool, what it said, and a way to call its tools; closed when the test is over. */
export interface StartedPool {
  readonly pool: Pool
  readonly events: readonly RunEventBody[]
  readonly warnings: () => readonly string[]
  call(name: string, input?: JsonObject, signal?: AbortSignal): Promise<ToolResult>
}

/** Start a pool of real servers for one test. */
export async function startPool(
  servers: readonly ServerConfig[],
  more: {
    readonly disabled?: readonly DisabledServer[]
    readonly settings?: Partial<McpSettings>
    readonly env?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal
    readonly deadLetters?: DeadLetters
    readonly requests?: RequestSources
    readonly access?: PoolOptions["access"]
    readonly share?: PoolOptions["share"]
  } = {},
): Promise<StartedPool> {
  const events: RunEventBody[] = []
  const pool = createPool({
    servers,
    disabled: more.disabled ?? [],
    settings: { ...mcpSettings, ...more.settings },
    emit: (event) => events.push(event),
    client: { name: "agent-run", version: "0.0.0" },
    env: more.env ?? {},
    ...(more.deadLetters ? { deadLetters: more.deadLetters } : {}),
    ...(more.requests ? { requests: more.requests } : {}),
    ...(more.access ? { access: more.access } : {}),
    ...(more.share ? { share: more.share } : {}),
  })
  onTestFinished(() => pool.close())
  await pool.start(more.signal ?? new AbortController().signal)
  return {
    pool,
    events,
    warnings: () => events.flatMap((event) => (event.type === "warning" ? [event.message] : [])),
    async call(name, input = {}, signal = new AbortController().signal) {
      const tool = [...pool.tools(), ...pool.absentTools(), ...pool.resourceTools()].find((one) => one.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      return tool.execute(input, { signal, callId: "call-1" })
    },
  }
}
