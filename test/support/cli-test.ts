import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { test } from "vitest"
import { killProcessesOf } from "./left-processes.ts"
import { type Handler, type MessagesServer, type Reply, startMessagesServer } from "./messages-server.ts"
import { type CliOptions, type CliRun, type RunningCli, startCli } from "./run-cli.ts"

interface CliFixtures {
  /** A folder of this test alone. */
  readonly folder: string
  /** Start the CLI in a workspace of its own. */
  readonly start: (options: CliOptions) => RunningCli
  /** Run the CLI to its end. */
  readonly cli: (options: CliOptions) => Promise<CliRun>
  /** Start a Messages server. */
  readonly serve: (replies: readonly Reply[] | Handler) => Promise<MessagesServer>
}

/** `it` for tests of the built CLI. What a test starts is gone when it is over, whatever became of it. */
export const it = test.extend<CliFixtures>({
  folder: async ({ onTestFinished }, use) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "agent-run-e2e-")))
    onTestFinished(async () => {
      killProcessesOf(folder)
      await rm(folder, { recursive: true, force: true })
    })
    await use(folder)
  },
  start: async ({ folder }, use) => {
    let starts = 0
    await use((options) => {
      starts += 1
      return startCli(join(folder, `run-${starts}`), options)
    })
  },
  cli: async ({ start }, use) => {
    await use((options) => start(options).ended)
  },
  serve: async ({ onTestFinished }, use) => {
    await use(async (replies) => {
      const server = await startMessagesServer(replies)
      onTestFinished(() => server.close())
      return server
    })
  },
})

const fixturePath = fileURLToPath(new URL("../fixtures/servers/fixture-server.mjs", import.meta.url))

/** The fixture server as `[mcp_servers.NAME]`; its switches are described at its top. */
export function fixture(switches: readonly string[] = [], more: object = {}): object {
  return { command: process.execPath, args: [fixturePath, ...switches], ...more }
}

/** `[permissions]` with one allow a tool. */
export function allowing(...tools: readonly string[]): object {
  return { rules: tools.map((tool) => ({ tool, action: "allow", ...(tool === "Bash" ? { broad: true } : {}) })) }
}
