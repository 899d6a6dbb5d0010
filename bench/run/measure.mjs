// One program measured from outside: when its first request arrives, its turns, its exit, its memory, its bytes.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"

/** Nothing of the machine that would slow down or speed up one side: an extra CA file alone costs node 25 ms. */
export function cleanEnvironment(more = {}) {
  return { PATH: process.env.PATH, HOME: process.env.HOME, ...more }
}

/** Run a program against the model server for a number of tool turns. */
export async function measureRun({ program, server, turns, cwd }) {
  let firstRequestAt = null
  let answeredAt = null
  let peakKb = 0
  const run = server.expect({
    turns,
    toolIn: (body) => (body.includes('"name":"mcp__everything__echo"') ? "mcp__everything__echo" : "echo"),
    onRequest(at) {
      firstRequestAt ??= at
    },
    onAnswer(at) {
      answeredAt = at
    },
  })
  const startedAt = performance.now()
  const child = spawn(program.command, program.args, {
    cwd,
    env: cleanEnvironment({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "bench", ...program.env }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const said = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"]) {
    child[name].on("data", (chunk) => {
      said[name] += chunk
    })
  }
  const watch = setInterval(() => {
    peakKb = Math.max(peakKb, peakMemoryKb(child.pid))
  }, 10)
  const closed = new Promise((resolve) => child.on("close", resolve))
  const exitCode = await new Promise((resolve) => child.on("exit", resolve))
  const endedAt = performance.now()
  clearInterval(watch)
  await closed
  if (exitCode !== 0 || said.stdout.trim() !== "All looked at." || run.bodies.length !== turns + 1) {
    throw new Error(`${program.name} ended with ${exitCode} after ${run.bodies.length} requests\n${said.stderr}`)
  }
  return {
    firstRequestMs: firstRequestAt - startedAt,
    turnsMs: answeredAt - firstRequestAt,
    exitMs: endedAt - answeredAt,
    wholeMs: endedAt - startedAt,
    peakMb: peakKb / 1024,
    sentBytes: run.bodies.reduce((sum, body) => sum + body.length, 0),
    firstBody: run.bodies[0],
  }
}

/** How long a command takes from its start to its end. */
export async function measureCommand(command, args, cwd) {
  const startedAt = performance.now()
  const child = spawn(command, args, { cwd, env: cleanEnvironment(), stdio: "ignore" })
  const exitCode = await new Promise((resolve) => child.on("exit", resolve))
  if (exitCode !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${exitCode}`)
  return performance.now() - startedAt
}

/** The most that a process had in memory so far; 0 when it is gone. */
function peakMemoryKb(processId) {
  try {
    const [, peak = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, "utf8")) ?? []
    return Number(peak)
  } catch {
    return 0
  }
}

/** The middle of some numbers. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
