import { fileURLToPath } from "node:url"
import { stringify } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/contract/json.ts"
import type { Script } from "../../../src/model/script-schema.ts"
import { eventsOf, runInProcess } from "../../support/run-in-process.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const fixturePath = fileURLToPath(new URL("../../fixtures/servers/fixture-server.mjs", import.meta.url))
const usage = { input_tokens: 100, output_tokens: 20 }

/** A run whose server may sample as this says; its one tool asks the client for anything. */
async function runSampling(keys: JsonObject, turns: Script["turns"], agent: JsonObject = {}) {
  const srv = { command: process.execPath, args: [fixturePath, "--with", "request"], ...keys }
  const rules = [{ tool: "mcp__srv__request", action: "allow" }]
  const toml = stringify({ agent, mcp_servers: { srv }, permissions: { rules } })
  const workspace = await scratchFolder({ "test.toml": toml })
  return runInProcess({ workspace, config: ["test.toml"], turns })
}

const sample = (params: JsonObject): NonNullable<Script["turns"][number]["calls"]>[number] => ({
  tool: "mcp__srv__request",
  input: { method: "sampling/createMessage", params },
})
const question = { messages: [{ role: "user", content: { type: "text", text: "Sum it up" } }], maxTokens: 50 }
const asks: Script["turns"][number] = { calls: [sample(question)], usage, cost_usd: 0.25 }
const says: Script["turns"][number] = { text: "In sum: fine.", usage, cost_usd: 0.5 }

describe("sampling", () => {
  it("F46 goes to the model of the run, without tools, and is in its usage, cost and transcript", async () => {
    const { report, events } = await runSampling({ sampling: true }, [
      asks,
      { ...says, expect: { last_message_contains: "Sum it up", messages: 1, tools_not_offered: ["Read"] } },
      { text: "Done.", expect: { last_result_contains: '"text":"In sum: fine."', last_result_is_error: false } },
    ])
    expect(report).toMatchObject({ exit_code: 0, turns: 2, cost_usd: 0.75 })
    expect(report.usage).toMatchObject({ input_tokens: 200, output_tokens: 40 })
    expect(eventsOf(events, "server.request")).toMatchObject([
      {
        server: "srv",
        method: "sampling/createMessage",
        outcome: "answered",
        request: question,
        response: { role: "assistant", model: "scripted", content: { type: "text", text: "In sum: fine." } },
        model: "scripted",
        usage: { ...usage, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
        cost_usd: 0.5,
      },
    ])
  })

  it("F46 is refused when its own budget of requests is spent", async () => {
    const { report, events } = await runSampling({ sampling: true, sampling_max_requests: 1 }, [
      asks,
      says,
      asks,
      { text: "Done.", expect: { last_result_contains: "sampling_max_requests = 1" } },
    ])
    expect(report.exit_code).toBe(0)
    expect(eventsOf(events, "server.request").map(({ outcome }) => outcome)).toEqual(["answered", "refused"])
  })

  it("F46 is refused when its own budget of tokens is spent", async () => {
    const { report } = await runSampling({ sampling: true, sampling_max_tokens: 110 }, [
      asks,
      says,
      asks,
      { text: "Done.", expect: { last_result_contains: "sampling_max_tokens = 110" } },
    ])
    expect(report.exit_code).toBe(0)
  })

  it("F79 counts against the limits of the run", async () => {
    const { report } = await runSampling({ sampling: true }, [asks, says, { text: "A summary." }], { max_cost_usd: 1 })
    expect(report).toMatchObject({ exit_code: 4, reason: { code: "max_cost" }, cost_usd: 0.75 })
  })

  it("F79 is refused when the limits of the run leave nothing", async () => {
    const twice = { ...asks, calls: [sample(question), sample(question)] }
    const { report, events } = await runSampling({ sampling: true }, [twice, { ...says, cost_usd: 5 }], {
      max_cost_usd: 1,
    })
    expect(report).toMatchObject({ exit_code: 4, reason: { code: "max_cost" } })
    expect(eventsOf(events, "server.request").map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ["answered", null],
      ["refused", "nothing is left of the cost or token limit of the run"],
    ])
  })

  it.each<[string, JsonObject, string]>([
    ["with tools", { ...question, tools: [] }, "sampling with tools is not offered"],
    ["without a message", { messages: [], maxTokens: 1 }, "there is no message"],
    ["with a role that is none", { messages: [{ role: "system", content: [] }] }, "a message has no role"],
    [
      "with an image",
      { messages: [{ role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } }] },
      "only text can be sent to the model",
    ],
  ])("F46 %s is refused, and costs nothing", async (_, params, detail) => {
    const { report, events } = await runSampling({ sampling: true }, [{ calls: [sample(params)] }, { text: "Done." }])
    expect(report).toMatchObject({ exit_code: 0, usage: { input_tokens: 0, output_tokens: 0 } })
    expect(eventsOf(events, "server.request")).toMatchObject([{ outcome: "refused", detail, usage: null }])
  })

  it("F46 a model that fails is an error to the server, not the end of the run", async () => {
    const wrong = { text: "never", expect: { last_message_contains: "something else" } }
    const { report, events } = await runSampling({ sampling: true }, [asks, wrong, { text: "Done." }])
    expect(report.exit_code).toBe(0)
    expect(eventsOf(events, "server.request")).toMatchObject([{ outcome: "refused", usage: null }])
  })
})
