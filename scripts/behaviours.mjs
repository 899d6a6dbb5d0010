// Keeps docs/behaviours.md true: an id is `held` when the name of a test cites it, else `planned`.
//   node scripts/behaviours.mjs [--root DIR]            rewrite the states
//   node scripts/behaviours.mjs --check [--root DIR]    change nothing; exit 1 with a list of what is wrong
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values: options } = parseArgs({ options: { check: { type: "boolean" }, root: { type: "string" } } })
const root = options.root ?? fileURLToPath(new URL("..", import.meta.url))
const page = join(root, "docs", "behaviours.md")

const before = readFileSync(page, "utf8")
const cited = citations(join(root, "test"))
const { after, problems } = settle(before, cited)

if (options.check) report(problems.map((problem) => problem.text))
else {
  writeFileSync(page, after)
  report(problems.filter((problem) => !problem.fixable).map((problem) => problem.text))
}

/** The ids in the names of all tests, each with the files that cite it. */
function citations(folder) {
  const found = new Map()
  const files = readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith(".test.ts") && !file.includes("node_modules"),
  )
  for (const file of files.sort()) {
    for (const title of titles(readFileSync(join(folder, file), "utf8"))) {
      for (const id of idsIn(title)) found.set(id, new Set([...(found.get(id) ?? []), `test/${file}`]))
    }
  }
  return found
}

/** The titles given to describe, it and test, also after a table of cases or a condition. What is skipped proves nothing. */
function titles(source) {
  const string = /(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`)/
  const opening = /(?<![\w.$"'`])(?:describe|it|test)(?:\.(?!skip\b|todo\b)\w+)*/
  const plain = new RegExp(`${opening.source}\\(\\s*${string.source}`, "g")
  const second = new RegExp(
    `${opening.source}(?<=\\.(?:each|for|runIf|skipIf))(?:<[^()]*>)?[(\`][\\s\\S]*?[)\`]\\(\\s*${string.source}`,
    "g",
  )
  return [...source.matchAll(plain), ...source.matchAll(second)].map((match) => match[1] ?? match[2] ?? match[3])
}

/** The ids a title cites. A range cites nothing: it would claim ids that nobody looked at. */
function idsIn(title) {
  const id = "(?:S[0-4]\\.\\d+|[CTF]\\d+)"
  const withoutRanges = title.replace(new RegExp(`\\b${id}(?:[-–—…]|\\.\\.+)(?:${id}|\\d+)\\b`, "g"), "")
  return withoutRanges.match(new RegExp(`\\b${id}\\b`, "g")) ?? []
}

/** The page with every state as the citations say, and what was wrong with it. */
function settle(text, cited) {
  const listed = new Set()
  const problems = []
  const after = text.replace(/^\| (\S+) \| (.+) \| (\S+) \|$/gm, (row, id, behaviour, state) => {
    if (id === "id") return row
    if (listed.has(id)) problems.push({ text: `${id} is listed twice`, fixable: false })
    listed.add(id)
    const right = cited.has(id) ? "held" : "planned"
    if (state === right) return row
    problems.push({ text: whyWrong({ id, state, by: cited.get(id) }), fixable: true })
    return `| ${id} | ${behaviour} | ${right} |`
  })
  for (const [id, files] of cited) {
    if (!listed.has(id))
      problems.push({ text: `${id} is cited by ${[...files].join(", ")} but not listed`, fixable: false })
  }
  return { after, problems }
}

function whyWrong({ id, state, by }) {
  if (by) return `${id} is ${state} but cited by ${[...by].join(", ")}`
  return `${id} is ${state} but no test cites it`
}

function report(lines) {
  if (lines.length === 0) return
  process.exitCode = 1
  console.error(
    `docs/behaviours.md and the names of the tests disagree:\n${lines.map((line) => `  ${line}\n`).join("")}`,
  )
  if (options.check) console.error("Run `node scripts/behaviours.mjs` to bring the states up to date.")
}
