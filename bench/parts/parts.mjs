// The parts that could become slow with size: redaction, decisions, the fold of the report.
import { createRedactor } from "../../build/events/redact.js"
import { createPolicy } from "../../build/permissions/policy.js"
import { createReportFold } from "../../build/report/fold.js"

/** What each part does in a second, or how long it takes. */
export function measureParts() {
  return [redaction(), decisions(), fold()]
}

/** Text as tools return it, with a secret in each of its thousand pieces, through fifty known values and all patterns. */
function redaction() {
  const env = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`TOKEN_${index}`, `canary-${index}-0123456789abcdef`]),
  )
  const redactor = createRedactor({ env, envGlobs: [], patterns: [] })
  const line = 'the quick brown fox jumps over the lazy dog {"key": 42, "path": "src/index.ts"}\n'
  const text = `${line.repeat(100)}token canary-7-0123456789abcdef\n`
  const pieces = 1000
  const ms = timed(() => {
    for (let piece = 0; piece < pieces; piece += 1) redactor.redact(text)
  })
  return { what: "redaction", value: (text.length * pieces) / 1e6 / (ms / 1000), unit: "MB/s" }
}

function decisions() {
  const rules = Array.from({ length: 1000 }, (_, index) => ({
    tool: `mcp__server${index % 50}__tool_${index}`,
    action: index % 7 === 0 ? "deny" : "allow",
    broad: false,
    ...(index % 3 === 0 ? { args: { repo: "acme/*" } } : {}),
    source: `agent.toml:${index}`,
  }))
  const policy = createPolicy({ default: "deny", rules })
  const tool = (index) => ({
    name: `mcp__server${index % 50}__tool_${index}`,
    origin: { kind: "mcp", server: `server${index % 50}`, tool: `tool_${index}` },
    hints: { readOnly: false, destructive: false, idempotent: false },
    subjects: () => [],
  })
  const tools = Array.from({ length: 1000 }, (_, index) => tool(index))
  const rounds = 20
  const ms = timed(() => {
    for (let round = 0; round < rounds; round += 1) for (const one of tools) policy.decide(one, { repo: "acme/site" })
  })
  return { what: "decisions with 1,000 rules", value: (rounds * tools.length) / (ms / 1000), unit: "a second" }
}

function fold() {
  const events = 100_000
  const call = (index) => ({ call_id: `c${index}`, turn: 1 + Math.floor(index / 10), tool: "Read", server: null })
  const decision = { action: "allow", rule: "baseline", source: "baseline" }
  const folded = createReportFold()
  const at = "2026-01-01T00:00:00.000Z"
  const ms = timed(() => {
    for (let seq = 0; seq < events; seq += 2) {
      const stamp = { schema_version: 1, at }
      folded.write({ ...stamp, seq, type: "tool.call", ...call(seq), input: {}, decision })
      folded.write({
        ...stamp,
        seq: seq + 1,
        type: "tool.result",
        ...call(seq),
        state: "done",
        ok: true,
        duration_ms: 1,
        error_code: null,
        content: [],
      })
    }
    folded.report()
  })
  return { what: "report of 100,000 events", value: ms, unit: "ms" }
}

function timed(work) {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}
