// Makes action/index.js, the whole Action in one file, from src/action.ts: a workflow step installs nothing.
//   node scripts/bundle-action.mjs            write it
//   node scripts/bundle-action.mjs --check    change nothing; exit 1 when the committed files are not what the code makes
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { licencesOf, root, shipped } from "./bundling.mjs"

const { code, licences } = await bundle()
if (code.includes(root)) throw new Error("the bundle names a path of this machine")
publish("index.js", code)
publish("third-party-licences.txt", licences)

function publish(name, text) {
  const target = join(root, "action", name)
  if (!process.argv.includes("--check")) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
    console.error(`action/${name} is not what src/ makes; run: node scripts/bundle-action.mjs`)
    process.exitCode = 1
  }
}

async function bundle() {
  const build = await rolldown({ ...shipped, input: "src/action.ts" })
  try {
    const { output } = await build.generate({
      format: "esm",
      codeSplitting: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    })
    if (output.length !== 1) throw new Error(`the bundle has ${output.length} files`)
    return { code: output[0].code, licences: licencesOf(Object.keys(output[0].modules)) }
  } finally {
    await build.close()
  }
}
