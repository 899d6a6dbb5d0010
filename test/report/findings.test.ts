import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Finding } from "../../src/contract/finding.ts"
import { toAnnotation } from "../../src/report/annotation.ts"
import { toSarif } from "../../src/report/sarif.ts"
import { commandsIn } from "../support/runner-commands.ts"

const finding: Finding = {
  rule: "remote-ref",
  level: "error",
  message: "refers to another document",
  subject: "github/create_issue",
  place: { file: "agent.toml", line: 3 },
}

describe("a finding as an annotation", () => {
  it("names level, place, subject and rule", () => {
    expect(toAnnotation(finding)).toBe(
      "::error file=agent.toml,line=3,title=github/create_issue (remote-ref)::refers to another document",
    )
    expect(toAnnotation({ ...finding, level: "note", place: null })).toBe(
      "::notice title=github/create_issue (remote-ref)::refers to another document",
    )
  })

  it("keeps what a property or a message would end", () => {
    const odd = { ...finding, message: "50%0A\n::error::x", subject: "a,b:c%", place: { file: "a,b:c.toml", line: 1 } }
    expect(toAnnotation(odd)).toBe(
      "::error file=a%2Cb%3Ac.toml,line=1,title=a%2Cb%3Ac%25 (remote-ref)::50%250A ::error::x",
    )
  })

  it("T9 whatever a server says is one command, the one we wrote", () => {
    const hostile = fc
      .array(
        fc.oneof(
          fc.string(),
          fc.constantFrom(
            "\n",
            "\r",
            "::error::x",
            "##[group]a",
            "##vso[a.b]c",
            "\u2028",
            "%0A",
            "\x1b[31m",
            "#\u200b#[error]",
          ),
        ),
      )
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(hostile, hostile, (message, subject) => {
        const line = toAnnotation({ ...finding, message, subject })
        expect(line.split(/[\r\n\v\f\x85\u2028\u2029]/)).toHaveLength(1)
        expect(commandsIn(line.replace(/^::/, "- "))).toEqual([])
      }),
    )
  })
})

describe("findings as SARIF", () => {
  it("is one run with rules, results and their places", () => {
    const log = JSON.parse(
      toSarif([finding, { ...finding, place: null, level: "note", message: "a\u0000b\ud800" }], {
        version: "1.2.3",
        rules: { "remote-ref": "The schema refers to another document." },
      }),
    )
    const logicalLocations = [{ fullyQualifiedName: "github/create_issue" }]
    const artifactLocation = { uri: "agent.toml" }
    const partialFingerprints = { "agentRun/v1": "remote-ref:github/create_issue" }
    expect(log).toEqual({
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "agent-run",
              version: "1.2.3",
              rules: [{ id: "remote-ref", shortDescription: { text: "The schema refers to another document." } }],
            },
          },
          results: [
            {
              ruleId: "remote-ref",
              level: "error",
              message: { text: "refers to another document" },
              locations: [{ physicalLocation: { artifactLocation, region: { startLine: 3 } }, logicalLocations }],
              partialFingerprints,
            },
            {
              ruleId: "remote-ref",
              level: "note",
              message: { text: "ab\ufffd" },
              locations: [{ logicalLocations }],
              partialFingerprints,
            },
          ],
        },
      ],
    })
  })
})
