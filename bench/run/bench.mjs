// npm run bench: start, turns, exit, memory and bytes of agent-run against a program that does the same by hand, and the
// speed of its parts. Prints ratios, which hold across machines, and writes bench/result.json. Fails when a target is missed.
//   node bench/run/bench.mjs [--repetitions N]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { root } from "../../scripts/bundling.mjs"
import { measureParts } from "../parts/parts.mjs"
import { measureCommand, measureRun, median } from "./measure.mjs"
import { startModelServer } from "./model-server.mjs"
import { makePrograms } from "./programs.mjs"
import { sizesOf } from "./sizes.mjs"

const { values } = parseArgs({ options: { repetitions: { type: "string", default: "11" } } })
const repetitions = Number(values.repetitions)
const shutdownGraceMs = 50
const folder = mkdtempSync(join(tmpdir(), "agent-run-bench-"))
try {
  await bench()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function bench() {
  const programs = await makePrograms(folder)
  const commands = await measureCommands(programs)
  const runs = await measureRuns(programs)
  const parts = measureParts()
  const sizes = await sizesOf(runs.get(1).ours.firstBody)
  const rows = rowsOf(commands, runs, sizes)
  console.log(
    `\nNode ${process.versions.node}, ${cpus().length} cores, medians of ${repetitions} interleaved repetitions\n`,
  )
  console.table(Object.fromEntries(rows.map(({ what, ...row }) => [what, shown(row)])))
  console.table(Object.fromEntries(parts.map(({ what, value, unit }) => [what, `${round(value)} ${unit}`])))
  const missed = rows.filter(({ ratio, target }) => target !== undefined && ratio > target)
  writeFileSync(join(root, "bench", "result.json"), `${JSON.stringify({ rows, parts }, null, 2)}\n`)
  for (const { what, ratio, target } of missed)
    console.error(`missed: ${what}: ${round(ratio)}, the target is ${target}`)
  process.exitCode = missed.length === 0 ? 0 : 1
}

async function measureCommands({ cli, workspace }) {
  const commands = {
    bare: ["-e", "0"],
    version: [cli, "--version"],
    help: [cli, "--help"],
    check: [cli, "config", "check"],
  }
  const times = await interleaved(commands, repetitions * 2, (args) =>
    measureCommand(process.execPath, args, workspace),
  )
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
}

/** For 1, 20 and 200 tool turns: the medians of both programs. */
async function measureRuns({ floor, ours, workspace }) {
  const server = await startModelServer()
  const found = new Map()
  for (const turns of [1, 20, 200]) {
    const measured = await interleaved({ floor, ours }, repetitions, (program) =>
      measureRun({ program, server, turns, cwd: workspace }),
    )
    found.set(turns, { floor: mediansOf(measured.floor), ours: mediansOf(measured.ours) })
  }
  await server.close()
  return found
}

/** Take turns, so that whatever else the machine does meets all alike. */
async function interleaved(subjects, times, measure) {
  const results = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
  for (let round = 0; round < times; round += 1) {
    for (const [name, subject] of Object.entries(subjects)) results[name].push(await measure(subject))
  }
  return results
}

function mediansOf(runs) {
  const numbers = Object.entries(runs[0]).filter(([, value]) => typeof value === "number")
  return {
    ...Object.fromEntries(numbers.map(([name]) => [name, median(runs.map((run) => run[name]))])),
    firstBody: runs[0].firstBody,
  }
}

function rowsOf({ bare, version, help, check }, runs, sizes) {
  const [one, twenty, many] = [1, 20, 200].map((turns) => runs.get(turns))
  const slope = (who, from, to, turns) => (to[who].turnsMs - from[who].turnsMs) / turns
  const against = (what, unit, key, { floor, ours }, target) =>
    ratioRow({ what, unit, ours: ours[key], floor: floor[key], target })
  return [
    ratioRow({ what: "--version, against node -e 0", unit: "ms", ours: version, floor: bare, target: 1.2 }),
    ratioRow({ what: "--help, against node -e 0", unit: "ms", ours: help, floor: bare }),
    ratioRow({ what: "config check, against node -e 0", unit: "ms", ours: check, floor: bare }),
    against("first model request, one stdio server", "ms", "firstRequestMs", twenty, 1),
    ratioRow({
      what: "a tool turn, between 1 and 20",
      unit: "ms",
      ours: slope("ours", one, twenty, 19),
      floor: slope("floor", one, twenty, 19),
      target: 1.5,
    }),
    ratioRow({
      what: "a tool turn, between 20 and 200",
      unit: "ms",
      ours: slope("ours", twenty, many, 180),
      floor: slope("floor", twenty, many, 180),
      target: 1.5,
    }),
    ...[
      ["20", twenty],
      ["200", many],
    ].map(([turns, { ours, floor }]) =>
      ratioRow({
        what: `exit after ${turns} turns, against the floor and ${shutdownGraceMs} ms of grace`,
        unit: "ms",
        ours: ours.exitMs,
        floor: floor.exitMs + shutdownGraceMs,
        target: 1,
      }),
    ),
    against("the whole run, 20 turns", "ms", "wholeMs", twenty),
    against("peak memory, 1 turn", "MB", "peakMb", one, 1.15),
    against("peak memory, 20 turns", "MB", "peakMb", twenty, 1.15),
    against("peak memory, 200 turns", "MB", "peakMb", many, 1.15),
    against("bytes sent over 20 turns", "bytes", "sentBytes", twenty, 2),
    ...sizes.map((row) => ratioRow(row)),
  ]
}

/** `floor` is what `ours` is divided by: the other program, or a limit. */
function ratioRow({ what, unit, ours, floor, target }) {
  return { what, unit, ours, floor, ratio: ours / floor, target }
}

function shown({ unit, ours, floor, ratio, target }) {
  return {
    "agent-run": `${round(ours)} ${unit}`,
    against: `${round(floor)} ${unit}`,
    ratio: round(ratio),
    target: target ?? "",
  }
}

function round(value) {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
