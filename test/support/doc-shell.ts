import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { killProcessesOf } from "./left-processes.ts"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")

/** How a piece of shell ended, with both streams in one. */
export interface ShellEnd {
  readonly exitCode: number
  readonly output: string
}

/** A place where examples run as a pipeline runs them: `agent-run` on the PATH, a clone in ~/agent-run, nothing else. */
export interface DocShell {
  /** A new empty folder. */
  folder(name: string): string
  /** Run shell text: no terminal, no stdin, and no credentials but those in `env`. */
  bash(text: string, cwd: string, env?: Readonly<Record<string, string>>): Promise<ShellEnd>
  close(): void
}

/** Set up the place. */
export function openDocShell(): DocShell {
  const scratch = mkdtempSync(join(tmpdir(), "agent-run-docs-"))
  const cli = join(root, "dist", "cli.js")
  if (!existsSync(cli)) throw new Error("dist/ is missing: npm run build")
  for (const folder of ["bin", "home"]) mkdirSync(join(scratch, folder))
  symlinkSync(cli, join(scratch, "bin", "agent-run"))
  symlinkSync(root, join(scratch, "home", "agent-run"))
  const base = { PATH: `${join(scratch, "bin")}:${process.env.PATH}`, HOME: join(scratch, "home"), LANG: "C.UTF-8" }
  return {
    folder: (name) => mkdtempSync(join(scratch, `${name}-`)),
    bash: (text, cwd, env = {}) =>
      new Promise((resolve) => {
        const args = ["-eo", "pipefail", "-c", `exec 2>&1\n${text}`]
        const child = execFile("bash", args, { cwd, env: { ...base, ...env } }, (error, stdout) => {
          resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout })
        })
        child.stdin?.end()
      }),
    close() {
      killProcessesOf(scratch)
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

/** Write a file and the folders above it. */
export function writeInto(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
