import type { Host } from "../contract/run-options.ts"

/** What a run gets of the process it is in. Standard input is opened only for who reads it. */
export function toHost(host: NodeJS.Process): Host {
  return {
    env: host.env,
    cwd: host.cwd(),
    log: (line) => host.stderr.write(`${line}\n`),
    get stdin() {
      return host.stdin
    },
  }
}
