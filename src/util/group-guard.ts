import { type ChildProcess, spawn } from "node:child_process"

/** Reads which groups live, and kills those that are left when we are gone, however we went. */
const script = `
groups=""
while read -r change group; do
  kept=""
  for known in $groups; do [ "$known" = "$group" ] || kept="$kept $known"; done
  groups=$kept
  [ "$change" = "+" ] && groups="$groups $group"
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`

let guard: ChildProcess | null = null

/** Start the guard ahead of a group, so that it can be told at once. */
export function readyGuard(): void {
  guard ??= startGuard()
}

/** Tell the guard that a group lives (`+`) or is gone (`-`). A process that gets SIGKILL runs no code of its own: this one does. */
export function tellGuard(change: "+" | "-", groupId: number): void {
  guard ??= startGuard()
  guard.stdin?.write(`${change} ${groupId}\n`)
}

function startGuard(): ChildProcess {
  // A group of its own: a signal meant for ours must not reach it.
  const child = spawn("/bin/sh", ["-c", script], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  })
  child.on("error", forgetGuard)
  child.stdin.on("error", forgetGuard)
  child.unref()
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
  return child
}

/** Without a guard we still end our children in every case but SIGKILL. */
function forgetGuard(): void {}
