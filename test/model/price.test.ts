import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { costOf, priceOf } from "../../src/model/price.ts"

const million = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }

describe("the price of a model", () => {
  it.each([
    "claude-sonnet-5-5",
    "claude-sonnet-5-5-20261001",
    "claude-sonnet-5-5-latest",
    "claude-sonnet-5-5@20261001",
    "anthropic/claude-sonnet-5-5",
    "gateway/anthropic/claude-sonnet-5-5",
    "anthropic.claude-sonnet-5-5",
    "us.anthropic.claude-sonnet-5-5-20261001-v1:0",
    "global.anthropic.claude-sonnet-5-5",
  ])("is known for %s", (model) => {
    expect(priceOf(model, {})).toEqual({ input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, longPrompt: null })
  })

  it.each(["claude-sonnet-9", "claude-sonnet-5-5-turbo", "gpt-4", "constructor", "__proto__", ""])(
    "is unknown for %j",
    (model) => {
      expect(priceOf(model, {})).toBeNull()
    },
  )

  it("is the user's where the user gives one, for the id as written or without its prefixes", () => {
    const mine = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
    const priced = { ...mine, longPrompt: null }
    expect(priceOf("claude-haiku-5-5", { "claude-haiku-5-5": mine })).toEqual(priced)
    expect(priceOf("us.anthropic.claude-haiku-5-5", { "claude-haiku-5-5": mine })).toEqual(priced)
    expect(priceOf("local-model", { "local-model": mine })).toEqual(priced)
  })
})

describe("the cost of a request", () => {
  const haiku = priceOf("claude-haiku-5-5", {})
  const opus = priceOf("claude-opus-5-5", {})
  if (haiku === null || opus === null) throw new Error("the table has lost a model")

  it.each([
    ["input", opus, { ...million, inputTokens: 1_000_000 }, 0, 4],
    ["output", opus, { ...million, outputTokens: 1_000_000 }, 0, 20],
    ["cache reads", opus, { ...million, cacheReadInputTokens: 1_000_000 }, 0, 0.2],
    ["cache writes for 5 minutes", opus, { ...million, cacheCreationInputTokens: 1_000_000 }, 0, 5],
    ["cache writes for an hour", opus, { ...million, cacheCreationInputTokens: 1_000_000 }, 1_000_000, 8],
    ["a prompt of 100k", haiku, { ...million, inputTokens: 100_000 }, 0, 0.01],
    [
      "a prompt over 100k, all of it dearer",
      haiku,
      { ...million, inputTokens: 200_000, outputTokens: 1000 },
      0,
      0.1025,
    ],
    [
      "a long prompt from the cache",
      haiku,
      { ...million, inputTokens: 1, cacheReadInputTokens: 100_000 },
      0,
      0.0050005,
    ],
  ])("counts %s", (_name, price, usage, oneHour, dollars) => {
    expect(costOf(usage, price, oneHour)).toBeCloseTo(dollars, 10)
  })

  it("never falls when more tokens are used", () => {
    const tokens = fc.nat(2_000_000)
    const usages = fc.record({
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadInputTokens: tokens,
      cacheCreationInputTokens: tokens,
    })
    fc.assert(
      fc.property(usages, usages, (usage, more) => {
        const sum = {
          inputTokens: usage.inputTokens + more.inputTokens,
          outputTokens: usage.outputTokens + more.outputTokens,
          cacheReadInputTokens: usage.cacheReadInputTokens + more.cacheReadInputTokens,
          cacheCreationInputTokens: usage.cacheCreationInputTokens + more.cacheCreationInputTokens,
        }
        return costOf(sum, haiku) >= costOf(usage, haiku) - 1e-9
      }),
    )
  })
})
