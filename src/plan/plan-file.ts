import { readFile } from "node:fs/promises"
import * as z from "zod/mini"
import type { JsonSchema } from "../contract/json.ts"
import { type Plan, type PlanCall, planKeyVariable, planSchema } from "../contract/plan.ts"
import type { Report } from "../contract/report.ts"
import { UserError } from "../contract/user-error.ts"
import { sealOf, sealProblem } from "../util/seal.ts"

/** What a plan holds beside the report of the run that made it. */
export interface PlanOrigin {
  readonly task: string
  readonly configDigest: string
  readonly key: string | undefined
}

/** The plan file of a planning run: made from its report, so it is redacted like every output. */
export function renderPlan(report: Report, origin: PlanOrigin): string {
  const { run, answer } = report
  const unsealed = {
    schema_version: 1,
    kind: "agent-run plan",
    run_id: run.id,
    created_at: run.started_at,
    version: run.version,
    model: run.model,
    task: origin.task,
    answer: answer ?? "",
    config_digest: origin.configDigest,
    calls: report.plan,
  } as const
  const plan: Plan = { ...unsealed, digest: sealOf(JSON.stringify(unsealed), origin.key) }
  return `${JSON.stringify(plan, null, 2)}\n`
}

const maxPlanBytes = 64 * 1024 * 1024

/** Read a plan and make sure that it is whole, unchanged and made for this configuration. Throws a UserError. */
export async function readPlan(
  path: string,
  expected: { readonly configDigest: string; readonly key: string | undefined },
): Promise<Plan> {
  const plan = parsePlan(await readText(path), path)
  const { digest, ...unsealed } = plan
  const problem = sealProblem(digest, sealOf(JSON.stringify(unsealed), expected.key), planKeyVariable)
  if (problem !== null)
    throw refused(path, problem, "Make a new plan; a plan is applied as it was reviewed or not at all.")
  if (plan.config_digest !== expected.configDigest) {
    throw refused(
      path,
      "it was made with another configuration",
      "Use the files and options it was made with, or make a new plan.",
    )
  }
  return plan
}

/** The calls to run: all, or those named by `--only`, in the order of the plan. */
export function selectCalls(plan: Plan, only: readonly string[]): readonly PlanCall[] {
  const unknown = only.find((id) => !plan.calls.some((call) => call.id === id))
  if (unknown !== undefined) {
    const known = plan.calls.map((call) => call.id).join(", ")
    throw new UserError("usage_error", `the plan has no call ${unknown}`, {
      where: "--only:",
      hint: known === "" ? "The plan is empty." : `Its calls are ${known}.`,
    })
  }
  return only.length === 0 ? plan.calls : plan.calls.filter((call) => only.includes(call.id))
}

/** JSON Schema of a plan file. */
export function planJsonSchema(): JsonSchema {
  return {
    ...z.toJSONSchema(planSchema, { target: "draft-2020-12", io: "input" }),
    title: "agent-run plan",
    description: "The calls that a planning run queued for review.",
  }
}

/** The user's mistake: a plan that must not be applied. */
export function refused(path: string, problem: string, hint: string): UserError {
  return new UserError("plan_refused", `the plan is refused: ${problem}`, { where: `${path}:`, hint })
}

async function readText(path: string): Promise<string> {
  try {
    const text = await readFile(path, "utf8")
    if (text.length <= maxPlanBytes) return text
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError("plan_refused", `the plan cannot be read: ${why}`, { where: `${path}:`, cause })
  }
  throw refused(path, "it is larger than 64 MiB", "Make a smaller plan.")
}

/** Keys keep their order, so that the digest can be made again; unknown fields are part of it. */
function parsePlan(text: string, path: string): Plan {
  const hint = "Give a file that --plan wrote."
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw refused(path, "it is not JSON", hint)
  }
  const problem = planSchema.safeParse(data).error?.issues[0]
  if (problem === undefined) return data as Plan
  throw refused(path, `it is no plan of this version (${problem.path.join(".") || "the whole file"})`, hint)
}
