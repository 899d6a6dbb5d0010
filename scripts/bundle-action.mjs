// Makes action/index.js, the whole Action in one file, from src/action.ts: a workflow step installs nothing.
//   node scripts/bundle-action.mjs            write it
//   node scripts/bundle-action.mjs --check    change nothing; exit 1 when the committed file is not what the code makes
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const root = fileURLToPath(new URL("..", import.meta.url))
const target = join(root, "action", "index.js")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const code = await bundle()
if (code.includes(root)) throw new Error("the bundle names a path of this machine")
if (!process.argv.includes("--check")) writeFileSync(target, code)
else if (readFileSync(target, "utf8") !== code) {
  console.error("action/index.js is not what src/ makes; run: node scripts/bundle-action.mjs")
  process.exitCode = 1
}

async function bundle() {
  const build = await rolldown({
    cwd: root,
    input: "src/action.ts",
    platform: "node",
    transform: { target: "node20" },
    experimental: { attachDebugInfo: "none" },
    // Searches use rg of the PATH; the program that npm installs cannot be part of a file of JavaScript.
    external: ["@vscode/ripgrep"],
    plugins: [
      { name: "version", load: (id) => (isVersion(id) ? `export const version = ${JSON.stringify(version)}` : null) },
    ],
  })
  try {
    const { output } = await build.generate({
      format: "esm",
      codeSplitting: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    })
    if (output.length !== 1) throw new Error(`the bundle has ${output.length} files`)
    return output[0].code
  } finally {
    await build.close()
  }
}

/** package.json lies elsewhere seen from the bundle, so its version is read now. */
function isVersion(id) {
  return id === join(root, "src", "util", "version.ts")
}
