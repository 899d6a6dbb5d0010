import { resolve } from "node:path"
import { toLogLine } from "../../report/escape.ts"
import { prepareOutputFile, writeOutput } from "../../sinks/files.ts"
import type { ServerSession } from "../connect-servers.ts"
import type { McpInput } from "../mcp/define-action.ts"
import { type JudgedCall, openBench } from "./bench.ts"
import { type PolicyCase, readCases } from "./case-file.ts"
import { renderCasesAsJunit } from "./junit.ts"
import type { testOptions } from "./options.ts"

/** A case, what was decided, and what of it differs: nothing when the case holds. */
export interface JudgedCase {
  readonly wanted: PolicyCase
  readonly decision: JudgedCall["decision"]
  readonly differences: readonly Difference[]
}

interface Difference {
  readonly what: "action" | "rule" | "source"
  readonly expected: string
  readonly decided: string
}

const expectationFailed = 8

/** `agent-run policy test FILE`: exit code 0 when every case is decided as it says, else 8 and a diff. */
export async function testPolicy(
  session: ServerSession,
  { words, options }: McpInput<"file", typeof testOptions>,
): Promise<number> {
  const cases = await readCases(words.file ?? "")
  const junit = options.junit === undefined ? null : resolve(options.junit)
  if (junit !== null) prepareOutputFile(junit)
  const bench = openBench(session, null)
  const judged = cases.map((wanted): JudgedCase => {
    const call = bench.judge(wanted.tool, wanted.input, wanted.hints)
    if (call?.isForeign) session.note(`warning ${wanted.at}: no built-in tool is called ${wanted.tool}`)
    const decision = call?.decision ?? { action: "deny", rule: "no such tool", source: "" }
    return { wanted, decision, differences: differencesOf(wanted, decision) }
  })
  const wrong = judged.filter(({ differences }) => differences.length > 0)
  if (junit !== null) await writeOutput(junit, renderCasesAsJunit(words.file ?? "", judged))
  session.print({ cases: judged.map(toJson), wrong: wrong.length }, () => render(judged, wrong))
  return wrong.length === 0 ? 0 : expectationFailed
}

function differencesOf(wanted: PolicyCase, decision: JudgedCall["decision"]): readonly Difference[] {
  const { action, rule, source } = decision
  const checks = [
    { what: "action", expected: wanted.expect, decided: action, holds: wanted.expect === action },
    { what: "rule", expected: wanted.rule ?? rule, decided: rule, holds: (wanted.rule ?? rule) === rule },
    { what: "source", expected: wanted.source ?? source, decided: source, holds: isSource(wanted.source, source) },
  ] as const
  return checks.filter(({ holds }) => !holds).map(({ what, expected, decided }) => ({ what, expected, decided }))
}

/** A source without a line means any line of that file: lines move. */
function isSource(wanted: string | undefined, source: string): boolean {
  return wanted === undefined || wanted === source || wanted === source.replace(/:\d+$/, "")
}

function toJson({ wanted, decision, differences }: JudgedCase) {
  const { name, tool, input, expect, at } = wanted
  return { name, at, tool, input, expect, ...decision, ok: differences.length === 0, differences }
}

function render(judged: readonly JudgedCase[], wrong: readonly JudgedCase[]): string {
  const lines = wrong.flatMap(({ wanted, decision, differences }) => [
    `not ok  ${toLogLine(wanted.name)} (${wanted.at})`,
    `  ${wanted.tool} ${toLogLine(JSON.stringify(wanted.input))}`,
    ...differences.flatMap(({ what, expected, decided }) => [
      `  - ${what}: ${toLogLine(expected)}`,
      `  + ${what}: ${toLogLine(decided)}${what === "action" ? `, by ${decision.rule} (${decision.source})` : ""}`,
    ]),
  ])
  return `${[...lines, `${judged.length} cases, ${wrong.length} wrong`].join("\n")}\n`
}
