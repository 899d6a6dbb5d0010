import { symlinkSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { stringify } from "smol-toml"
import { type DocShell, root, writeInto } from "./doc-shell.ts"
import { answer, type Reply, startMessagesServer, text, toolUse } from "./messages-server.ts"

/** What surrounds the examples of a page: variables, replacements in their text, and what to close in the end. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>
  readonly replace: Readonly<Record<string, string>>
  /** Throws when the examples left something undone. */
  close(): Promise<void>
}

type Stage = (folder: string, shell: DocShell) => Promise<Partial<Surroundings>>

const server = (name: string) => join(root, "test", "fixtures", "servers", name)
const fixture = (...switches: readonly string[]) => ({
  command: process.execPath,
  args: [server("fixture-server.mjs"), ...switches],
})
const definitions = (name: string) => ["--definitions", join(root, "bench", "context", "definitions", `${name}.json`)]
const filesServer = join(root, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")

/** A model on this machine that gives these answers, all of which are used up by the examples. */
async function model(...replies: readonly Reply[]): Promise<Partial<Surroundings>> {
  const api = await startMessagesServer(replies)
  return {
    env: api.env,
    async close() {
      await api.close()
      if (api.requests.length !== replies.length) throw new Error(`${api.requests.length} of ${replies.length} answers`)
    },
  }
}

const config = (folder: string, values: object) => writeInto(folder, "agent.toml", stringify(values))

/** Everything that examples find around them, by the name that `<!-- run, stage: NAME -->` has for it. */
export const stages: Readonly<Record<string, Stage>> = {
  /** A clone of this repository, with what `npm ci` installs, and a model. */
  async clone(folder) {
    for (const name of ["examples", "node_modules"]) symlinkSync(join(root, name), join(folder, name))
    return model(answer([text("NOTES.md is ready.")]))
  },
  /** A report with calls that were denied and unknown. */
  async report(folder, { bash }) {
    const calls = '[{ tool = "Bash", input = { command = "ls" } }, { tool = "Ls", input = {} }]'
    writeInto(folder, "calls.toml", `[[turns]]\ncalls = ${calls}\n[[turns]]\ntext = "Done."\n`)
    await bash("agent-run --bare --task x --script calls.toml --report report.json", folder)
    return {}
  },
  /** Two reports of the same run. */
  async reports(folder, { bash }) {
    await bash("cp out/report.json baseline.json && cp out/report.json .", folder)
    return {}
  },
  /** A server that releases, and a model that wants to. */
  async release(folder) {
    const mcpServers = { deploy: fixture("--named", "release") }
    writeInto(folder, ".mcp.json", JSON.stringify({ mcpServers }))
    writeInto(folder, "release.md", "Release 1.4.0.\n")
    return model(answer([toolUse("mcp__deploy__release", { version: "1.4.0" })]), answer([text("Released.")]))
  },
  /** Servers to lint, one of them in the work tree. */
  async lint(folder) {
    const files = { command: process.execPath, args: [filesServer, "."] }
    config(folder, { mcp_servers: { files, github: fixture(...definitions("github")) } })
    const args = JSON.stringify(definitions("git"))
    writeInto(folder, "package.json", '{ "type": "module" }')
    writeInto(
      folder,
      "dist/server.js",
      `process.argv.push(...${args})\nawait import(${JSON.stringify(server("fixture-server.mjs"))})\n`,
    )
    return {}
  },
  /** A server with the tools of a well-known one, and a model. */
  async github(folder) {
    config(folder, { mcp_servers: { github: fixture(...definitions("github"), "--resources") } })
    return {}
  },
  /** The same, and a model that answers once. */
  async "github and a model"(folder) {
    config(folder, { mcp_servers: { github: fixture(...definitions("github")) } })
    return model(answer([text("Done.")]))
  },
  /** A server with prompts, and a model. */
  async prompts(folder) {
    config(folder, { mcp_servers: { notes: fixture("--prompts") } })
    return model(answer([text("Reviewed.")]))
  },
  /** A collector of traces, and a model. */
  async collector() {
    const traces: string[] = []
    const collector = createServer((request, response) => {
      traces.push(`${request.method} ${request.url}`)
      request.resume().on("end", () => response.end("{}"))
    })
    await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
    const asked = await model(answer([text("Written.")]))
    return {
      ...asked,
      replace: { "http://localhost:4318": `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
      async close() {
        collector.close()
        await asked.close?.()
        if (traces.join() !== "POST /v1/traces") throw new Error(`the collector got: ${traces.join()}`)
      },
    }
  },
  /** A model that plans an edit. */
  async plan(folder) {
    writeInto(folder, "package.json", '{ "dependencies": { "left-pad": "1.0.0" } }\n')
    config(folder, { permissions: { rules: [{ tool: "Edit", action: "allow", paths: ["package.json"] }] } })
    const edit = { file_path: "package.json", old_string: "1.0.0", new_string: "1.3.0" }
    return model(answer([toolUse("Edit", edit)]), answer([text("Planned.")]))
  },
}
