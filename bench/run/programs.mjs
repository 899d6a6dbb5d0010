// The two programs that are measured: agent-run as it is packed, and the floor, bundled the same way.
import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { root } from "../../scripts/bundling.mjs"

const require = createRequire(import.meta.url)
const everything = join(
  dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist",
  "index.js",
)

/** Both, for a task in a workspace with one stdio server. */
export async function makePrograms(folder) {
  const floor = join(folder, "floor", "floor.cjs")
  const workspace = join(folder, "workspace")
  await bundleFloor(floor)
  mkdirSync(workspace)
  writeFileSync(
    join(workspace, "agent.toml"),
    `[mcp_servers.everything]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(everything)}]

[[permissions.rules]]
tool = "mcp__everything__*"
action = "allow"
`,
  )
  const cli = join(root, "dist", "cli.js")
  return {
    workspace,
    cli,
    floor: { name: "floor", command: process.execPath, args: [floor, "Look.", process.execPath, everything] },
    ours: {
      name: "agent-run",
      command: process.execPath,
      args: [cli, "--task", "Look.", "--quiet", "--max-turns", "300"],
    },
  }
}

async function bundleFloor(file) {
  const build = await rolldown({
    cwd: root,
    input: join(root, "bench", "run", "floor.mjs"),
    platform: "node",
    transform: { target: "node20" },
  })
  await build.write({ file, format: "cjs", codeSplitting: false, minify: true })
  await build.close()
}
