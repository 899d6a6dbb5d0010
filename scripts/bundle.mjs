// Makes dist/, what npm installs, from src/: the command line and the API as few files that need no other package at run time.
// What a start needs is one file, what comes later is another, and each library that is not always needed is a file of its own.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { rolldown } from "rolldown"
import { declarationsFrom, licencesOf, root, shipped } from "./bundling.mjs"

const dist = join(root, "dist")
const source = (path) => join(root, "src", path)

/** Files by when they are needed; a module goes into the first one that a module of its list leads to. */
const phases = [
  { name: "start", from: [source("commands/main.ts"), source("commands/run.ts")] },
  { name: "run", from: [source("commands/run-with-output.ts"), source("model/anthropic.ts")] },
]

rmSync(dist, { recursive: true, force: true })
const build = await rolldown({
  ...shipped,
  preserveEntrySignatures: "allow-extension",
  input: { cli: source("cli.ts"), index: source("index.ts") },
})
const { output } = await build.write({
  dir: dist,
  // node loads CommonJS sooner than modules: 5 ms for the first file, 4 for the rest of a start.
  format: "cjs",
  minify: true,
  // Beside the files for who reads a stack trace; npm does not pack them.
  sourcemap: "hidden",
  chunkFileNames: "[name]-[hash].js",
  codeSplitting: { groups: [{ name: phaseOf, debugName: "phases", includeDependenciesRecursively: false }] },
  comments: { legal: false, annotation: false, jsdoc: false },
})
await build.close()
const { exports: api } = output.find(({ name, isEntry }) => isEntry && name === "index")
writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n')
writeFileSync(
  join(dist, "index.mjs"),
  `import api from "./index.js"\n${api.map((name) => `export const ${name} = api.${name}\n`).join("")}`,
)
chmodSync(join(dist, "cli.js"), 0o755)
writeFileSync(
  join(dist, "third-party-licences.txt"),
  licencesOf(output.flatMap(({ modules }) => Object.keys(modules ?? {}))),
)
writeDeclarations()

function phaseOf(id, bundle) {
  const phase = phases.find((candidate) => {
    candidate.modules ??= reachableFrom(candidate, bundle)
    return candidate.modules.has(id)
  })
  return phase?.name ?? null
}

/** The modules that some modules import, and their imports, but never through `import()`. */
function reachableFrom({ from }, bundle) {
  const found = new Set()
  const visit = (id) => {
    const info = found.has(id) ? null : bundle.getModuleInfo(id)
    if (!info) return
    found.add(id)
    for (const next of info.importedIds) visit(next)
  }
  for (const id of from) visit(id)
  return found
}

/** The types of the API, which need no package but those of node. */
function writeDeclarations() {
  const types = join(dist, "types")
  const schemaTypes = join(types, "schema-types.d.ts")
  for (const file of declarationsFrom(join(root, "build", "index.d.ts"))) {
    const target = join(types, relative(join(root, "build"), file))
    const path = relative(dirname(target), schemaTypes).replace(/\.d\.ts$/, ".js")
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(
      target,
      readFileSync(file, "utf8").replaceAll('"zod/mini"', `"${path.startsWith(".") ? path : `./${path}`}"`),
    )
  }
  cpSync(join(root, "scripts", "schema-types.d.ts"), schemaTypes)
  writeFileSync(join(types, "package.json"), '{ "type": "module" }\n')
}
