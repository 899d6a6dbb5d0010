import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { hostname } from "node:os"

const held = new Set<string>()

/**
 * Keep a file for this process alone, by a lock file beside it. Returns how to let go of it, or `null` when a living process
 * holds it; a process that was killed holds nothing. A lock of another machine counts as held.
 */
export function lockFile(path: string): (() => void) | null {
  const lock = `${path}.lock`
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (create(lock)) {
      held.add(lock)
      return () => {
        held.delete(lock)
        rmSync(lock, { force: true })
      }
    }
    if (held.has(lock) || !isLeftOver(lock)) return null
    rmSync(lock, { force: true })
  }
  return null
}

function create(lock: string): boolean {
  try {
    const file = openSync(lock, "wx", 0o600)
    writeSync(file, `${process.pid} ${hostname()}\n`)
    closeSync(file)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

function isLeftOver(lock: string): boolean {
  const [processId = "", host = ""] = readText(lock).trim().split(" ")
  if (host !== hostname()) return false
  return Number(processId) === process.pid || !isAlive(Number(processId))
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // It is gone: the next attempt will create it.
    return `0 ${hostname()}`
  }
}

function isAlive(processId: number): boolean {
  if (!(processId > 0)) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
