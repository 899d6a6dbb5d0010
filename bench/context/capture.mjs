// Capture what a real server says of its tools: node bench/context/capture.mjs NAME COMMAND [ARGUMENT…]
// Writes bench/context/definitions/NAME.json with name, description and inputSchema of every tool.
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [name = "", command = "", ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
const waiting = new Map()
let lastId = 0

createInterface({ input: child.stdout }).on("line", (line) => {
  if (!line.startsWith("{")) return
  const message = JSON.parse(line)
  waiting.get(message.id)?.(message.result ?? {})
})

function send(message) {
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

function ask(method, params) {
  lastId += 1
  const id = lastId
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

const late = setTimeout(() => {
  child.kill()
  throw new Error(`${name} did not answer within 30 s`)
}, 30_000)

const clientInfo = { name: "capture", version: "1" }
const { serverInfo } = await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
send({ method: "notifications/initialized" })
const tools = []
let cursor
do {
  const page = await ask("tools/list", cursor === undefined ? {} : { cursor })
  tools.push(...page.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })))
  cursor = page.nextCursor
} while (cursor !== undefined)
clearTimeout(late)
child.kill()

const file = new URL(`definitions/${name}.json`, import.meta.url)
writeFileSync(file, `${JSON.stringify({ server: name, version: serverInfo.version, tools }, null, 1)}\n`)
process.stdout.write(`${name} ${serverInfo.version}: ${tools.length} tools\n`)
process.exit(0)
