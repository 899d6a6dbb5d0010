// What the bundle of the command line and the bundle of the Action have in common.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the project. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/** Options of rolldown for everything that we ship. */
export const shipped = {
  cwd: root,
  platform: "node",
  transform: { target: "node20" },
  experimental: { attachDebugInfo: "none" },
  // Which module is in which file is our decision, and yargs asks where it lies only to extend configurations, which we never do.
  checks: { ineffectiveDynamicImport: false, emptyImportMeta: false },
  // A program of its own for each platform cannot be part of a file of JavaScript; it is looked for when it is needed.
  external: ["@vscode/ripgrep"],
  plugins: [
    { name: "version", resolveId: resolveVersion, load: (id) => (id.startsWith(versionId) ? versionModule() : null) },
    {
      name: "shims",
      resolveId: (id) => (id === "@modelcontextprotocol/client/_shims" ? shimsId : null),
      load: loadShims,
    },
    { name: "width", resolveId: (id) => (id === "string-width" ? widthId : null), load: loadWidth },
  ],
}

const versionId = "\0version"

/** The first file of the command line has a copy of its own, so that `--version` needs no second one. */
function resolveVersion(id, importer = "") {
  if (!id.endsWith("/util/version.ts")) return null
  return importer.endsWith("/src/cli.ts") ? `${versionId}-of-cli` : versionId
}

/** package.json lies elsewhere seen from a bundle, so its version is read now. */
function versionModule() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  return `export const version = ${JSON.stringify(version)}`
}

/** The MCP client brings a JSON Schema validator for who gives it none; ours is given, so 300 kB need not be loaded. */
const shimsId = "\0shims"

function loadShims(id) {
  if (id !== shimsId) return null
  return `export const CORS_IS_POSSIBLE = false
export class DefaultJsonSchemaValidator {
  getValidator() { throw new Error("no validator was given") }
}`
}

/** yargs measures the columns of its help with a table of all scripts, which costs 20 ms at every start; our help needs none. */
const widthId = "\0width"

function loadWidth(id) {
  return id === widthId ? "export default (text) => [...text].length" : null
}

/** The licences of all packages that bundled modules come from, one after the other, in the order of their names. */
export function licencesOf(moduleIds) {
  const folders = new Set(moduleIds.flatMap((id) => packageFolderOf(id.replace(/^\0/, "").replace(/\?.*$/, ""))))
  return [...folders]
    .map(licenceOf)
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ title, text }) => `${title}\n${"=".repeat(title.length)}\n\n${text.trim()}\n`)
    .join("\n\n")
}

function packageFolderOf(id) {
  const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)
  return found === null ? [] : [found[1]]
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text =
    file === undefined
      ? `Licence: ${license} (the package has no licence file)`
      : readFileSync(join(folder, file), "utf8")
  return { title: `${name} ${version}`, text }
}

/** Every declaration file that one of them leads to. */
export function declarationsFrom(file, found = new Set()) {
  if (found.has(file)) return found
  found.add(file)
  for (const [, target] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)) {
    const next = join(dirname(file), target).replace(/\.[jt]s$/, ".d.ts")
    if (existsSync(next)) declarationsFrom(next, found)
  }
  return found
}
