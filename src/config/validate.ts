import type * as z from "zod/mini"
import type { ReasonCode } from "../contract/reason.ts"
import { findContradictions } from "./contradictions.ts"
import type { Finding } from "./describe-issue.ts"
import type { Layer } from "./layer.ts"
import { formatPath, type Problem } from "./problem.ts"
import { configSchema } from "./schema.ts"

/** Everything that is wrong with one layer, each with its place. */
export async function validateLayer(layer: Layer): Promise<readonly Problem[]> {
  const issues = configSchema.safeParse(layer.values, { jitless: true }).error?.issues ?? []
  const findings = issues.length === 0 ? [] : await describe(issues, layer.values)
  const contradictions = findContradictions(layer.values, layer.scope).filter(
    // One --set is a part of a server, which is whole only after the merge.
    ({ path }) => layer.scope !== "command-line" || path[0] !== "mcp_servers",
  )
  return toProblems(layer, [...findings, ...contradictions])
}

/** The words for mistakes are loaded only when there is one. */
async function describe(issues: readonly z.core.$ZodIssue[], values: unknown): Promise<readonly Finding[]> {
  const { describeIssue } = await import("./describe-issue.ts")
  return issues.flatMap((issue) => describeIssue(issue, values))
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
