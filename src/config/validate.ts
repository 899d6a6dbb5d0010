import type { ReasonCode } from "../contract/reason.ts"
import { findContradictions } from "./contradictions.ts"
import { describeIssue, type Finding } from "./describe-issue.ts"
import type { Layer } from "./layer.ts"
import { formatPath, type Problem } from "./problem.ts"
import { configSchema } from "./schema.ts"

/** Everything that is wrong with one layer, each with its place. */
export function validateLayer(layer: Layer): readonly Problem[] {
  const issues = configSchema.safeParse(layer.values).error?.issues ?? []
  const findings = issues.flatMap((issue) => describeIssue(issue, layer.values))
  const contradictions = findContradictions(layer.values, layer.scope).filter(
    // One --set is a part of a server, which is whole only after the merge.
    ({ path }) => layer.scope !== "command-line" || path[0] !== "mcp_servers",
  )
  return toProblems(layer, [...findings, ...contradictions])
}

/** Findings as problems: with their place and their key path. */
export function toProblems(layer: Layer, findings: readonly Finding[]): readonly Problem[] {
  return findings.map(({ path, message }) => ({
    code: codeOf(layer),
    where: layer.placeOf(path),
    message: path.length === 0 ? message : `${formatPath(path)}: ${message}`,
  }))
}

function codeOf(layer: Layer): ReasonCode {
  return layer.scope === "command-line" || layer.scope === "dynamic" ? "usage_error" : "config_error"
}
