import type { Host } from "../contract/run-options.ts"

/** What a run gets of the process it is in. */
export function toHost({ env, cwd, stdin, stderr }: NodeJS.Process): Host {
  return { env, cwd: cwd(), stdin, log: (line) => stderr.write(`${line}\n`) }
}
