// What is sent before the task begins, and what is installed: sizes against their limits.
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { root } from "../../scripts/bundling.mjs"

/** Rows of sizes; `floor` is the limit. */
export async function sizesOf(firstBody) {
  const { system, tools } = JSON.parse(firstBody)
  const bytes = (value) => Buffer.byteLength(JSON.stringify(value))
  const ours = tools.filter(({ name }) => !name.startsWith("mcp__"))
  const [words] = system[0].text.split("\n\n# Notes of the MCP server")
  return [
    {
      what: "system prompt and built-in tools",
      unit: "bytes",
      ours: bytes(words) + bytes(ours),
      floor: 5000,
      target: 1,
    },
    {
      what: "the same with the tools and instructions of server-everything",
      unit: "bytes",
      ours: bytes(system) + bytes(tools),
      floor: 12000,
      target: 1,
    },
    { what: "packages that npm installs", unit: "packages", ours: installedPackages(), floor: 15, target: 1 },
    { what: "the tarball", unit: "bytes", ours: await tarballBytes(), floor: 1.5 * 1024 * 1024, target: 1 },
  ]
}

/** The package, what it depends on, and the one program for this platform. */
function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  const needed = Object.entries(packages).filter(([path, { dev, optional }]) => path !== "" && !dev && !optional)
  return 1 + needed.length + 1
}

async function tarballBytes() {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
  })
  const [{ size }] = JSON.parse(stdout)
  return size
}
