import { createHash } from "node:crypto"
import type { EffectiveValue } from "./effective.ts"

/**
 * One word for a configuration: the same wherever the same values hold, on every machine. The model, limits, concurrency
 * and output files are left out, because they decide nothing about what a call may do.
 */
export function digestOf(effective: readonly EffectiveValue[]): string {
  const values = effective
    .filter(({ path }) => !isIrrelevant(path.join(".")))
    .map(({ path, value }) => JSON.stringify([path, value]))
  return `sha256:${createHash("sha256").update(values.sort().join("\n")).digest("hex")}`
}

function isIrrelevant(key: string): boolean {
  return /^(?:agent|expect|output)\.|^mcp\.(?:local|remote)_concurrency$/.test(key)
}
