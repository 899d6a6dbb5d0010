import type { Finding } from "../../contract/finding.ts"
import { UserError } from "../../contract/user-error.ts"
import { inventoriesOf } from "../../mcp/inventory.ts"
import { lintServers, passingScore, type ServerLint, type ToolLint } from "../../mcp/lint/lint.ts"
import { type LintFinding, lintRules } from "../../mcp/lint/score.ts"
import type { Pool } from "../../mcp/pool.ts"
import { toLogLine } from "../../report/escape.ts"
import { formatQuantity } from "../../report/format.ts"
import { toSarif } from "../../report/sarif.ts"
import { version } from "../../util/version.ts"
import type { ServerSession } from "../connect-servers.ts"
import { renderTable } from "../table.ts"
import { chooseServer } from "./choose-server.ts"
import type { McpInput } from "./define-action.ts"
import type { lintOptions } from "./options.ts"

/** `agent-run mcp lint [SERVER]`: how well a model can use the tools, and what is wrong with them. */
export async function lintTools(
  session: ServerSession,
  { words, options }: McpInput<"server", typeof lintOptions>,
): Promise<number> {
  const minScore = readMinScore(options["min-score"])
  const pool = await session.connect()
  const chosen = chooseServer(session, pool, words.server)
  if (typeof chosen === "number") return chosen
  const inventories = inventoriesOf(pool.connections()).filter(({ server }) => chosen.includes(server))
  const servers = lintServers(inventories, session.config.mcp)
  session.print(toJson(servers, minScore), () => servers.map((server) => renderServer(server, minScore)).join("\n"))

  const findings = servers.flatMap((server) => findingsOf(server, minScore))
  if (options.sarif !== undefined)
    await session.writeFile(options.sarif, toSarif(findings, { version, rules: lintRules }))
  session.annotate(findings.filter(({ level }) => level !== "note").toSorted(errorsFirst))

  const missing = words.server === undefined ? missingServers(pool) : []
  if (missing.length > 0) {
    return session.fail("required_server_unavailable", `not linted, because not connected: ${missing.join(", ")}`)
  }
  if (servers.length === 0) return session.fail("usage_error", "there is no MCP server to lint")
  const low = servers.filter(({ score }) => score < minScore)
  if (low.length === 0) return 0
  const names = low.map(({ server, score }) => `${server} (${score})`).join(", ")
  return session.fail("lint_failed", `below the score of ${minScore}: ${names}`)
}

function readMinScore(given: number | undefined): number {
  const score = given ?? passingScore
  if (score >= 0 && score <= 100) return score
  throw new UserError("usage_error", "a score is a number from 0 to 100", { where: "--min-score:" })
}

/** Servers that should be there: one that was switched off is nobody's fault. */
function missingServers(pool: Pool): readonly string[] {
  return pool.states().flatMap(({ name, state }) => {
    return state.status === "connected" || state.status === "disabled" ? [] : [name]
  })
}

function toJson(servers: readonly ServerLint[], minScore: number) {
  const passes = ({ score }: { readonly score: number }) => score >= minScore
  return {
    min_score: minScore,
    passed: servers.length > 0 && servers.every(passes),
    servers: servers.map((server) => ({
      name: server.server,
      score: server.score,
      passed: passes(server),
      findings: server.findings,
      tools: server.tools.map((tool) => ({
        name: tool.tool,
        score: tool.score,
        passed: passes(tool),
        findings: tool.findings,
      })),
    })),
  }
}

function renderServer({ server, score, findings, tools }: ServerLint, minScore: number): string {
  const failed = tools.filter((tool) => tool.score < minScore).length
  const about = findings.map(describe).map((finding) => ["(the server)", "", finding])
  const rows = tools.toSorted((one, other) => one.score - other.score).flatMap(toRows)
  const verdict = failed === 0 ? "" : `, ${failed} below ${minScore}`
  const head = `${toLogLine(server)}: score ${score}, ${formatQuantity(tools.length, "tool")}${verdict}\n`
  return (
    head + (about.length + rows.length === 0 ? "" : renderTable(["tool", "score", "finding"], [...about, ...rows], ""))
  )
}

function toRows({ tool, score, findings }: ToolLint): readonly (readonly string[])[] {
  const [first = "", ...others] = findings.map(describe)
  return [[tool, String(score), first], ...others.map((finding) => ["", "", finding])]
}

function describe({ rule, level, message, points }: LintFinding): string {
  const worth = points > 0 ? ` (+${points})` : points < 0 ? ` (−${-points})` : ""
  return `${level === "note" ? "" : `${level}: `}${message}${worth} [${rule}]`
}

/** What is to be mended. A tool that does not reach the score is an error, whatever its findings are. */
function findingsOf(server: ServerLint, minScore: number): readonly Finding[] {
  const [, file, line] = /^(.+):(\d+)$/.exec(server.source) ?? []
  const place = file === undefined ? null : { file, line: Number(line) }
  const toFinding = (subject: string, failed: boolean) => (finding: LintFinding) => {
    const { rule, level, message } = finding
    return { rule, level: failed ? "error" : level, message: `${subject} ${message}`, subject, place } as const
  }
  return [
    ...server.findings.map(toFinding(server.server, false)),
    ...server.tools.flatMap(({ tool, score, findings }) =>
      findings.filter(({ points }) => points <= 0).map(toFinding(`${server.server}/${tool}`, score < minScore)),
    ),
  ]
}

function errorsFirst(one: Finding, other: Finding): number {
  return Number(other.level === "error") - Number(one.level === "error")
}
