import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** A process that is still there. */
export interface LeftProcess {
  readonly processId: number
  readonly command: string
}

/**
 * Every living process whose home or working folder is this one or below it, whatever its group, session or parent.
 * Without /proc (macOS) nobody can be seen and the list is empty.
 */
export function processesOf(folder: string): readonly LeftProcess[] {
  return processIds().flatMap((processId) => {
    const environment = read(processId, "environ")
    const atHome = environment.includes(`HOME=${folder}/`) || environment.includes(`HOME=${folder}\0`)
    if (!atHome && !`${workingFolder(processId)}/`.startsWith(`${folder}/`)) return []
    return [{ processId, command: read(processId, "cmdline").replaceAll("\0", " ").trim() }]
  })
}

/** Kill what a failed test left behind. */
export function killProcessesOf(folder: string): void {
  for (const { processId } of processesOf(folder)) {
    try {
      process.kill(processId, "SIGKILL")
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    // No /proc on this system.
    return []
  }
}

function read(processId: number, file: string): string {
  try {
    return readFileSync(`/proc/${processId}/${file}`, "utf8")
  } catch {
    // Gone, or not ours to look into.
    return ""
  }
}

function workingFolder(processId: number): string {
  try {
    return readlinkSync(`/proc/${processId}/cwd`)
  } catch {
    // Gone, or not ours to look into.
    return ""
  }
}
