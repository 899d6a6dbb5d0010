import { describe, expect } from "vitest"
import { allowing, fixture, it } from "../support/cli-test.ts"
import { answer, text, toolUse } from "../support/messages-server.ts"

const turns = 50
const mark = /,?"cache_control":\{"type":"ephemeral"\}/g

describe("what a run sends", () => {
  it.concurrent(`over ${turns} turns each request begins with the one before it, byte for byte`, async ({
    cli,
    serve,
  }) => {
    const api = await serve((_, index) =>
      index < turns
        ? answer([
            text(`Turn ${index}.`),
            toolUse("mcp__notes__echo", { turn: index }),
            toolUse("Glob", { pattern: "*" }),
          ])
        : answer([text("Done.")]),
    )
    const run = await cli({
      api,
      env: api.env,
      args: ["--max-turns", "60"],
      config: {
        mcp_servers: { notes: fixture(["--instructions", "Be brief."]) },
        permissions: allowing("mcp__notes__echo"),
      },
    })
    expect(run.report).toMatchObject({ exit_code: 0, turns: turns + 1 })
    expect(api.heads()).toBe(1)

    const end = '],"stream":true}'
    const bodies = api.requests.map(({ raw }) => raw.replaceAll(mark, ""))
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index] ?? ""
      expect(before.endsWith(end)).toBe(true)
      expect(body.startsWith(before.slice(0, -end.length))).toBe(true)
    }
    // Marked is what never changes, the end of this request, and the end of the one before, which is read from the cache.
    for (const [index, { raw, body }] of api.requests.entries()) {
      expect(raw.match(mark)).toHaveLength(index === 0 ? 2 : 3)
      expect(body.system?.at(-1)).toHaveProperty("cache_control")
      expect(body.messages.at(-1)?.content.at(-1)).toHaveProperty("cache_control")
      if (index > 0) expect(body.messages.at(-3)?.content.at(-1)).toHaveProperty("cache_control")
    }
  })
})
