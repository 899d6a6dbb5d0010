import { execFile } from "node:child_process"
import { lstatSync, realpathSync } from "node:fs"
import { findProgram } from "../util/find-program.ts"

/** A program and its arguments. */
interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
}

/** Where commands run that must not see the processes around them. */
export interface Sandbox {
  /** The same command, inside. */
  wrap(command: CommandLine, cwd: string): CommandLine
}

/** What a search for a sandbox found. */
export type SandboxSearch =
  | { readonly kind: "found"; readonly program: string; readonly sandbox: Sandbox }
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly program: string; readonly why: string }

const probeTimeoutMs = 5000

/** Find bubblewrap and try it once: where user namespaces are forbidden it is there and does not work. Never throws. */
export async function findSandbox(options: {
  readonly path: string
  readonly workspace: string
  /** Files that commands inside can read and not change. */
  readonly readOnly: readonly string[]
}): Promise<SandboxSearch> {
  const program = await findProgram("bwrap", { path: options.path, distrusted: options.workspace })
  if (program === null) return { kind: "absent" }
  const sandbox: Sandbox = {
    wrap: ({ file, args }, cwd) => ({
      file: program,
      args: [...confinement(cwd, options.readOnly), "--", "/bin/sh", "-c", firstProcess, "sh", file, ...args],
    }),
  }
  const why = await tryOut(sandbox.wrap({ file: "/bin/sh", args: ["-c", ":"] }, "/"))
  return why === null ? { kind: "found", program, sandbox } : { kind: "unusable", program, why }
}

/**
 * The first process of the namespace. When it ends the kernel kills all others, and only then does bubblewrap see it
 * end: nothing is left when the call returns. What it says itself ("Killed") is not the command's output.
 */
const firstProcess = 'exec 3>&2 2>/dev/null; (exec 2>&3 3>&-; exec "$@"); exit "$?"'

/**
 * The file system as it is, processes of its own. There is no --die-with-parent: SIGTERM reaches the whole group, and
 * bubblewrap, which dies of it at once, would take the time to clean up from the command. The first process cannot
 * leave the group, so its SIGKILL ends everything.
 */
function confinement(cwd: string, readOnly: readonly string[]): readonly string[] {
  const files = readOnly.flatMap(realFile)
  return [
    ...["--dev-bind", "/", "/", "--unshare-pid", "--as-pid-1", "--proc", "/proc", "--chdir", cwd],
    ...files.flatMap((path) => ["--ro-bind-try", path, path]),
    ...(process.getuid?.() === 0 ? capabilitiesOfRoot : []),
  ]
}

/** What root keeps: enough for package managers, nothing that reaches into the kernel or other processes. */
const capabilitiesOfRoot = [
  ...["--cap-drop", "ALL"],
  ...[
    ...["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_NET_BIND_SERVICE"],
    ...["CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_CHROOT"],
  ].flatMap((name) => ["--cap-add", name]),
]

/** A file that is there, without links on the way to it; nothing else can be mounted. */
function realFile(path: string): readonly string[] {
  try {
    return lstatSync(path).isFile() ? [realpathSync(path)] : []
  } catch {
    // Not there yet, or not ours to look at.
    return []
  }
}

/** Why a command cannot run inside, or null. */
function tryOut({ file, args }: CommandLine): Promise<string | null> {
  const settings = { cwd: "/", env: {}, timeout: probeTimeoutMs, killSignal: "SIGKILL" } as const
  return new Promise((resolve) => {
    const child = execFile(file, args, settings, (error, _, stderr) => {
      if (error === null) return resolve(null)
      if (error.killed) return resolve(`it did not end within ${probeTimeoutMs / 1000} s`)
      resolve(stderr.trim().split("\n")[0] || error.message)
    })
    child.stdin?.on("error", () => {
      // It may end without reading; how it ended says enough.
    })
    child.stdin?.end()
  })
}
