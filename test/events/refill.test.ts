import { describe, expect, it } from "vitest"
import { createRedactor } from "../../src/events/redact.ts"
import { createRefill } from "../../src/events/refill.ts"

const secrets = [
  { name: "DEPLOY_TOKEN", value: "deploy-secret-1" },
  { name: "DATABASE_URL", value: "postgres://me:hunter2hunter2@db/x" },
  { name: "DATABASE_URL", value: "hunter2hunter2" },
]
const redactor = createRedactor({ env: {}, envGlobs: [], patterns: [] })
redactor.add([...secrets, { name: "learned", value: "token-of-this-run" }], ["order-\\d{6}"])
const refill = createRefill(secrets, redactor)

describe("secrets put back where their placeholders stand", () => {
  it.each([
    [{ a: "nothing secret" }, []],
    [{ a: ["x deploy-secret-1 y"], "deploy-secret-1": 1 }, ["DEPLOY_TOKEN"]],
    [{ url: "postgres://me:hunter2hunter2@db/x", token: "deploy-secret-1" }, ["DEPLOY_TOKEN", "DATABASE_URL"]],
  ])("%j comes back whole", (value, names) => {
    expect(refill.namesIn(value)).toEqual(names)
    expect(refill.fill(redactor.preview(value), names)).toEqual({ value, missing: [] })
  })

  it.each([
    ["an encoded secret", Buffer.from("deploy-secret-1").toString("base64")],
    ["a part that shares its name with the whole", "hunter2hunter2"],
    ["what a pattern hides", "order-123456"],
    ["a token that only this process knows", "token-of-this-run"],
    ["a vendor's key", `ghp_${"a1B2".repeat(9)}`],
    ["a placeholder that was there before", "[redacted:DEPLOY_TOKEN] and deploy-secret-1"],
  ])("%s cannot be put back, and is known not to be", (_, value) => {
    expect(refill.namesIn({ value })).toBeNull()
  })

  it("looking does not count as redacting", () => {
    expect(redactor.count()).toBe(0)
  })

  it("only the names given are filled, and an unset one is missing", () => {
    const value = "[redacted:DEPLOY_TOKEN] [redacted:DATABASE_URL] [redacted:GONE]"
    expect(refill.fill(value, ["DEPLOY_TOKEN", "GONE"])).toEqual({
      value: "deploy-secret-1 [redacted:DATABASE_URL] [redacted:GONE]",
      missing: ["GONE"],
    })
  })
})
