import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect } from "vitest"
import { fixture, it } from "./support/cli-test.ts"
import { answer, text } from "./support/messages-server.ts"
import { textOf } from "./support/run-cli.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const recorder = fileURLToPath(new URL("fixtures/preloads/record-start.cjs", import.meta.url))
const execute = promisify(execFile)

/** The packages that went into each file of dist/, from its source map. */
const packagesIn = new Map(
  readdirSync(dist)
    .filter((file) => file.endsWith(".js.map"))
    .map((file) => {
      const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(dist, file), "utf8"))
      const names = sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
      return [file.replace(/\.map$/, ""), new Set(names)]
    }),
)

function loadedPackages(record: string): Set<string> {
  const files = record.split("\n").flatMap((line) => /^load (.*)$/.exec(line)?.[1] ?? [])
  return new Set(files.flatMap((file) => [...(packagesIn.get(basename(file)) ?? [])]))
}

const isSdk = (name: string) => /^@anthropic-ai\/|^@modelcontextprotocol\//.test(name)

describe("dist/", () => {
  it.concurrent("runs where no package is installed", async ({ folder }) => {
    cpSync(dist, join(folder, "alone"), { recursive: true })
    const cli = join(folder, "alone", "cli.js")
    const run = (...args: string[]) => execute(process.execPath, [cli, ...args], { cwd: folder })
    expect((await run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await run("--help")).stdout).toContain("agent-run --task")
    expect((await run("config", "schema")).stdout).toContain("mcp_servers")
    expect((await run("policy", "explain", "Read", '{"file_path":"a"}')).stdout).toContain("allow")
  })

  it.concurrent.for([
    ["--version"],
    ["--help"],
    ["config", "check"],
    ["policy", "explain", "Bash", '{"command":"ls"}'],
  ])("%j loads neither SDK", async (args, { folder }) => {
    const record = join(folder, "record")
    await execute(process.execPath, ["--require", recorder, join(dist, "cli.js"), ...args], {
      cwd: folder,
      env: { ...process.env, RECORD: record },
    })
    expect(textOf(record)).toContain("load ")
    expect([...loadedPackages(textOf(record))].filter(isSdk)).toEqual([])
  })

  it.concurrent("a local server is started before either SDK, the loop or the parser of help is loaded", async ({
    cli,
    serve,
    folder,
  }) => {
    const api = await serve([answer([text("Done.")])])
    const record = join(folder, "record")
    const run = await cli({
      api,
      env: { ...api.env, RECORD: record },
      nodeArgs: ["--require", recorder],
      config: { mcp_servers: { notes: fixture() } },
    })
    expect(run.report).toMatchObject({ exit_code: 0, servers: [{ name: "notes", state: "connected" }] })
    const [before, after] = textOf(record).split(`spawn ${process.execPath}\n`)
    expect([...loadedPackages(before ?? "")].toSorted()).toEqual(["picomatch", "smol-toml", "zod"])
    expect([...loadedPackages(after ?? "")].filter(isSdk)).toEqual(
      expect.arrayContaining(["@anthropic-ai/sdk", "@modelcontextprotocol/client"]),
    )
  })

  it.skipIf(!("enableCompileCache" in process.getBuiltinModule("node:module")))(
    "is kept compiled in the user's cache, but never in the tree it is started in",
    async ({ folder }) => {
      const check = async (cache: string) => {
        const env = { PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: join(folder, cache) }
        await execute(process.execPath, [join(dist, "cli.js"), "config", "check"], { cwd: tree, env })
        return existsSync(join(folder, cache, "agent-run", "compiled"))
      }
      const tree = join(folder, "tree")
      mkdirSync(tree)
      expect(await check("cache")).toBe(true)
      expect(await check("tree/cache")).toBe(false)
    },
  )

  it.concurrent("has the licence of every package in it", () => {
    const licences = readFileSync(join(dist, "third-party-licences.txt"), "utf8")
    const named = new Set([...licences.matchAll(/^(\S+) \d\S*\n=+$/gm)].map(([, name]) => name))
    expect(
      [...new Set([...packagesIn.values()].flatMap((names) => [...names]))].filter((name) => !named.has(name)),
    ).toEqual([])
  })

  it.concurrent("is packed small, without source maps, and installs few packages", async () => {
    const { stdout } = await execute("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root })
    const [{ size, files }] = JSON.parse(stdout)
    expect(size).toBeLessThan(1.5 * 1024 * 1024)
    expect(files.map(({ path }: { path: string }) => path).filter((path: string) => path.endsWith(".map"))).toEqual([])
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
    const installed = Object.entries<{ dev?: boolean; optional?: boolean }>(packages).filter(
      ([path, { dev, optional }]) => path !== "" && !dev && !optional,
    )
    expect(installed.length).toBeLessThanOrEqual(15)
  })

  it.concurrent("is the API of the package", async () => {
    const script = 'import("agent-run").then((api) => console.log(Object.keys(api).sort().join(" ")))'
    const { stdout } = await execute(process.execPath, ["-e", script], { cwd: root })
    expect(stdout.trim()).toBe("createScriptModel defineTool run")
  })

  it.concurrent("has types that need no package but those of node", async ({ folder }) => {
    const installed = join(folder, "node_modules", "agent-run")
    cpSync(dist, join(installed, "dist"), { recursive: true })
    cpSync(join(root, "package.json"), join(installed, "package.json"))
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "use.ts"), useOfTheApi)
    const options = [
      "--strict",
      "--noEmit",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--types",
      "node",
      "--typeRoots",
      join(root, "node_modules", "@types"),
      "use.ts",
    ]
    await execute(join(root, "node_modules", ".bin", "tsc"), options, { cwd: folder })
  })
})

/** Every line would be an error if a type had become `any`, `never` or unknown. */
const useOfTheApi = `
import { createScriptModel, type Report, run, type RunEvent } from "agent-run"
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const report: Report = await run({ task: "Look.", model: createScriptModel({ turns: [{ text: "Seen." }] }) })
export const status: Same<Report["status"], "completed" | "paused" | "stopped" | "failed"> = true
export const answer: Same<Report["answer"], string | null> = true
export const calls: Same<Report["calls"][number]["ok"], boolean> = true
export const state: Same<Extract<RunEvent, { type: "server.connected" }>["state"], Report["servers"][number]["state"]> = true
// @ts-expect-error there is no such field
report.nonsense
// @ts-expect-error a turn has no such key
createScriptModel({ turns: [{ txt: "Seen." }] })
`
