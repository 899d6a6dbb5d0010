import { describe, expect, it } from "vitest"
import { createRedactor } from "../../src/events/redact.ts"

const redactor = createRedactor({ env: {}, envGlobs: [], patterns: [] })
const mixed = (length: number) => "aB3dE6gH9".repeat(30).slice(0, length)

describe("credentials known by their looks", () => {
  // Samples are put together here so that no scanner takes this file for a leak.
  it.each([
    ["anthropic-key", `sk-ant-${mixed(40)}`],
    ["openai-key", `sk-proj-${mixed(40)}`],
    ["github-token", `ghp_${mixed(36)}`],
    ["github-token", `ghs_${mixed(36)}`],
    ["github-token", `github_pat_${mixed(60)}`],
    ["gitlab-token", `glpat-${mixed(20)}`],
    ["slack-token", `xoxb-${mixed(24)}`],
    ["aws-access-key", `AKIA${"A1B2".repeat(4)}`],
    ["google-key", `AIza${mixed(35)}`],
    ["stripe-key", `sk_live_${mixed(24)}`],
    ["npm-token", `npm_${mixed(36)}`],
    ["jwt", `eyJ${mixed(20)}.eyJ${mixed(30)}.${mixed(40)}`],
    ["private-key", `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\n${mixed(64)}\n-----END RSA PRIVATE KEY-----`],
    ["private-key", `-----BEGIN PRIVATE KEY-----\\n${mixed(64)}`],
  ])("T22 %s", (name, sample) => {
    expect(redactor.redactText(`a ${sample}\n`).trim()).toBe(`a [redacted:${name}]`)
  })

  it("T22 a password in a URL goes, its user stays", () => {
    expect(redactor.redactText("git clone https://me:hunter2@host/x")).toBe(
      "git clone https://me:[redacted:url-password]@host/x",
    )
  })

  it.each([
    "task-management-system-design-notes",
    "sk-loading-spinner-container-large",
    "std::vector<int> at http://host:8080/a@b",
    "a key called AKIA",
    "ordinary text, [redacted:GITHUB_TOKEN] too",
    "eyJhbGciOiJIUzI1NiJ9 alone",
  ])("leaves ordinary text alone: %s", (text) => {
    expect(redactor.redactText(text)).toBe(text)
  })

  it.each([
    ["key starts", "-----BEGIN PRIVATE KEY-----"],
    ["dashes behind a key start", "-a"],
    ["token starts", "-eyJaaaaaaaaaa."],
    ["URL starts", "://a:"],
    ["key prefixes", "sk-"],
  ])("hostile text of many %s is scanned to its end", (_name, piece) => {
    const text = `-----BEGIN PRIVATE KEY-----${piece.repeat(8_000_000 / piece.length)}`
    expect(redactor.redactText(text).length).toBeGreaterThan(0)
  })
})
