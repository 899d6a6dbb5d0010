import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { StdioServerConfig } from "../contract/server.ts"
import { endGroup, trackGroup } from "../util/process-groups.ts"
import { type Channel, negotiationOf } from "./channel.ts"
import { unsentError } from "./failure.ts"
import { parseMessages } from "./json-rpc.ts"
import { createLineSplitter } from "./line-splitter.ts"
import { createOutputTail } from "./output-tail.ts"

const maxLineBytes = 10 * 1024 * 1024
const stderrBufferBytes = 64 * 1024
const stderrShownBytes = 4 * 1024
const patienceMs = 2000
const longestGraceMs = 2000
/** How long after an exit, or the end of stdout, the rest of the output may take to arrive. */
const drainMs = 250

/**
 * Start a server as the leader of its own process group and talk to it over its pipes. The process is started by this
 * very call, so that it boots while we load what we need to speak with it. Throws when it cannot even be attempted.
 */
export function openStdioChannel(config: StdioServerConfig, onNoise: (line: string) => void): Channel {
  const child = spawn(config.command, config.args, { cwd: config.cwd, env: { ...config.env }, detached: true })
  const startedAt = performance.now()
  const groupId = child.pid
  if (groupId !== undefined) trackGroup(groupId)
  const stderr = createOutputTail(stderrBufferBytes)
  const transport: Transport = { start, send, close: dispose }
  let closedBecause: string | null = null
  let drainTimer: NodeJS.Timeout | undefined
  let disposed: Promise<void> | null = null
  const unsent: ((because: string) => void)[] = []

  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk))
  child.on("error", (error) => end(describeSpawnError(error, config)))
  child.on("exit", (code, signal) => endSoon(describeExit(code, signal)))
  child.on("close", (code, signal) => end(describeExit(code, signal)))
  child.stdout.on("end", () => suspect("closed its stdout"))
  // A broken stdin shows in the callback of the write, where there is a call to blame.
  child.stdin.on("error", () => undefined)
  child.stdout.on("error", () => undefined)

  async function start(): Promise<void> {
    if (closedBecause !== null) throw new Error(closedBecause)
    const split = createLineSplitter({
      maxLineBytes,
      onLine: receive,
      onTooLong: () => end(`sent a line longer than ${maxLineBytes / 1024 / 1024} MiB and was closed`),
    })
    child.stdout.on("data", split)
  }

  function receive(line: string): void {
    if (closedBecause !== null || line.trim() === "") return
    const messages = parseMessages(line)
    if (messages === null) {
      onNoise(line)
      return
    }
    try {
      for (const message of messages) transport.onmessage?.(message)
    } catch {
      // The client chokes on some messages, such as unknown ones nested too deeply; nobody waits for those.
      onNoise(line)
    }
  }

  function send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (closedBecause !== null) {
        reject(unsentError(closedBecause))
        return
      }
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (!error) return resolve()
        if (disposed !== null) return reject(error)
        unsent.push((because) => reject(unsentError(because)))
        return suspect("stopped reading its stdin")
      })
    })
  }

  /** What looks like the end, unless an exit explains it better. */
  function suspect(because: string): void {
    if (drainTimer === undefined) endSoon(because)
  }

  function endSoon(because: string): void {
    if (disposed !== null) return
    clearTimeout(drainTimer)
    drainTimer = setTimeout(() => end(because), drainMs)
  }

  function end(because: string): void {
    if (closedBecause !== null) return
    closedBecause = because
    void dispose()
    for (const reject of unsent) reject(because)
    // These must arrive before the client hears of the end: it would blame that, and not know that nothing was sent.
    if (unsent.length > 0) setImmediate(() => transport.onclose?.())
    else transport.onclose?.()
  }

  function dispose(): Promise<void> {
    disposed ??= shutDown()
    return disposed
  }

  async function shutDown(): Promise<void> {
    clearTimeout(drainTimer)
    child.stdin.end()
    child.stdout.removeAllListeners("data").resume()
    if (groupId !== undefined) {
      await endGroup(groupId, { graceMs: Math.min(config.shutdownGraceMs, longestGraceMs), patienceMs })
    }
    releasePipes(child)
    end("was closed")
  }

  return {
    transport,
    startedAt,
    negotiation: negotiationOf(config),
    whyClosed: () => closedBecause,
    stderrTail: () => stderr.last(stderrShownBytes).trim() || null,
    dispose,
  }
}

/** A process that left the group may still hold the other ends: our ends must not keep us alive. */
function releasePipes(child: ChildProcessWithoutNullStreams): void {
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
  child.unref()
}

function describeSpawnError(error: NodeJS.ErrnoException, config: StdioServerConfig): string {
  if (!existsSync(config.cwd)) return `could not be started: its folder ${config.cwd} does not exist`
  if (error.code === "ENOENT") return `could not be started: the command "${config.command}" was not found`
  if (error.code === "EACCES") return `could not be started: "${config.command}" may not be executed`
  return `could not be started: ${error.message}`
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`
}
