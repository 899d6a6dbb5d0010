// The main job without a key: `npm run quickstart`. Leaves everything it made in .agent-run/quickstart/.
import { spawnSync } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "..", "..")
const scratch = join(root, ".agent-run", "quickstart")
const outDir = join(scratch, "out")

rmSync(scratch, { recursive: true, force: true })
cpSync(join(here, "workspace"), join(scratch, "workspace"), { recursive: true })

const args = [
  ["--task", "Get the notes of release 1.4.0 ready."],
  ["--script", fromRoot(join(here, "script.toml"))],
  ["--config", fromRoot(join(here, "agent.toml"))],
  ["--workspace", fromRoot(join(scratch, "workspace"))],
  ["--out-dir", fromRoot(outDir)],
].flat()

console.error(`$ agent-run ${args.map((arg) => (/[^\w./=-]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}\n`)
const { status } = spawnSync(process.execPath, [join(root, "dist", "cli.js"), ...args], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, MCP_SERVERS: join(root, "node_modules", "@modelcontextprotocol") },
})

console.error(`\nexit code ${status}. Look at what it left:`)
for (const name of ["summary.md", "report.html", "report.json", "transcript.jsonl", "changes.patch"]) {
  console.error(`  ${fromRoot(join(outDir, name))}`)
}
process.exitCode = status ?? 1

function fromRoot(path) {
  return relative(root, path)
}
