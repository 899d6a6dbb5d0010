import { existsSync, readdirSync, readFileSync } from "node:fs"
import { tellGuard } from "./group-guard.ts"

const live = new Set<number>()
const longestPauseMs = 50

/** Remember a process group that must not outlive us; its leader was spawned with `detached: true`. */
export function trackGroup(groupId: number): void {
  if (live.size === 0) process.on("exit", killAllGroups)
  live.add(groupId)
  tellGuard("+", groupId)
}

/** Forget a group whose every process is gone. */
export function untrackGroup(groupId: number): void {
  if (!live.delete(groupId)) return
  tellGuard("-", groupId)
  if (live.size === 0) process.off("exit", killAllGroups)
}

/** Signal a whole group. False when nothing of it is left. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal)
    return true
  } catch {
    // ESRCH: the group is gone, which is what every caller wants in the end.
    return false
  }
}

/** Kill every tracked group at once: the last thing a dying process does. */
export function killAllGroups(): void {
  for (const groupId of live) signalGroup(groupId, "SIGKILL")
  live.clear()
}

/** End a group: SIGTERM after the grace, SIGKILL after the patience, resolved when nothing of it is left. */
export async function endGroup(
  groupId: number,
  wait: { readonly graceMs: number; readonly patienceMs: number },
): Promise<void> {
  if (!(await groupGone(groupId, wait.graceMs))) {
    signalGroup(groupId, "SIGTERM")
    if (!(await groupGone(groupId, wait.patienceMs))) {
      signalGroup(groupId, "SIGKILL")
      await groupGone(groupId, 1000)
    }
  }
  untrackGroup(groupId)
}

async function groupGone(groupId: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  let pauseMs = 2
  while (signalGroup(groupId, 0)) {
    const leftMs = until - performance.now()
    if (pauseMs === longestPauseMs && onlyDeadAreLeft(groupId)) return true
    if (leftMs <= 0) return false
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)))
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
  return true
}

/** Where nobody reaps orphans, as in a container without an init process, the dead stay members of their group. */
function onlyDeadAreLeft(groupId: number): boolean {
  if (!existsSync("/proc/self/stat")) return false
  const states = readdirSync("/proc").flatMap((entry) => (/^\d+$/.test(entry) ? stateInGroup(entry, groupId) : []))
  return states.length > 0 && states.every((state) => state === "Z" || state === "X")
}

function stateInGroup(processId: string, groupId: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "utf8")
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(group) === groupId ? [state] : []
  } catch {
    // It ended while we were looking.
    return []
  }
}
