/**
 * The official client scenarios against agent-run's MCP layer. The suite needs a newer Node than we do, so it is fetched
 * together with one. Exit code 0 when every scenario passes that its set scores, but for those of expected-failures.yml.
 *
 *     npm run conformance                  all sets
 *     npm run conformance -- 2026-07-28    one of them: 0.1.16, 2025-11-25, 2026-07-28
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const sets = {
  "0.1.16": { version: "0.1.16", all: ["--suite", "all"], one: [] },
  "2025-11-25": requirementsOf("2025-11-25"),
  "2026-07-28": requirementsOf("2026-07-28"),
}
const expected = [...readFileSync(place("expected-failures.yml"), "utf8").matchAll(/^ {2}- (\S+)$/gm)].map(
  ([, scenario]) => scenario,
)
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sets)
const unknown = wanted.find((name) => !Object.hasOwn(sets, name))
if (unknown !== undefined) throw new Error(`there is no set "${unknown}"; there are: ${Object.keys(sets).join(", ")}`)

const results = mkdtempSync(join(tmpdir(), "agent-run-conformance-"))
let good = true
for (const name of wanted) good = (await runSet(name, sets[name])) && good
rmSync(results, { recursive: true, force: true })
process.exit(good ? 0 : 1)

function requirementsOf(revision) {
  return { version: "0.2.0-alpha.12", all: ["--requirements", revision], one: ["--spec-version", revision, "--force"] }
}

async function runSet(name, { version, all, one }) {
  const output = await runSuite(version, all)
  const scenarios = [...output.matchAll(/^([✓✗]) (\S+): \d+ passed/gm)].map(([, mark, scenario]) => ({
    mark,
    scenario,
  }))
  if (scenarios.length === 0) {
    console.log(`${name}: the suite did not run\n${output}`)
    return false
  }
  const notScored = [...output.matchAll(/^ {2}✗ (\S+) \(/gm)].map(([, scenario]) => scenario)
  const [, unscored = "0"] = /^Not scored.*: (\d+) scenario/m.exec(output) ?? []
  const failed = []
  for (const { mark, scenario } of scenarios) {
    if (mark === "✓" || notScored.includes(scenario)) continue
    if (!(await passesAlone(version, ["--scenario", scenario, ...one]))) failed.push(scenario)
  }
  const scored = scenarios.length - Number(unscored)
  console.log(`${name} (conformance ${version}): ${scored - failed.length}/${scored}`)
  for (const scenario of failed) console.log(`  ✗ ${scenario}${expected.includes(scenario) ? " (expected)" : ""}`)
  if (unscored !== "0") console.log(`  not scored: ${Number(unscored) - notScored.length}/${unscored}`)
  for (const scenario of notScored) console.log(`  ✗ ${scenario} (not scored)`)
  return failed.every((scenario) => expected.includes(scenario))
}

/** All run at once, and one of them measures how late we are: what fails gets two quiet moments of its own. */
async function passesAlone(version, options) {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (/OVERALL: PASSED/.test(await runSuite(version, options))) return true
  }
  return false
}

function place(name) {
  return fileURLToPath(new URL(name, import.meta.url))
}

function runSuite(version, options) {
  const packages = ["-p", "node@22", "-p", `@modelcontextprotocol/conformance@${version}`]
  const client = ["--command", `exec ${process.execPath} ${place("driver.mjs")}`, "--timeout", "180000", "-o", results]
  const args = ["-y", ...packages, "conformance", "client", ...client, ...options]
  const child = spawn("npx", args, { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk
    })
  }
  return new Promise((resolve) => {
    child.on("close", () => resolve(output))
  })
}
