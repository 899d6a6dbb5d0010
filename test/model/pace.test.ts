import { describe, expect, it, onTestFinished } from "vitest"
import { createPace, type Pace, type Turn } from "../../src/model/pace.ts"
import { answer, errorReply, startMessagesServer, text } from "../support/messages-server.ts"
import { ask, gist, modelFor } from "./ask.ts"

const never = new AbortController().signal
const start = Date.parse("2026-11-18T10:00:00Z")

/** A pace whose clock stands still, so that every wait is known to the millisecond and none is waited for. */
function standing() {
  let now = start
  const pace = createPace({ now: () => now })
  return {
    enter: (signal: AbortSignal = never, bytes = 800) => enter(pace, signal, bytes),
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

function enter(pace: Pace, signal: AbortSignal = never, bytes = 800, model = "m") {
  const waits: number[] = []
  let turn: Turn | null | undefined
  const entered = pace.enter({ model, bytes, onWait: (delayMs) => waits.push(delayMs) }, signal).then((given) => {
    turn = given
    return given
  })
  return { waits, entered, turn: () => turn }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

async function given(asked: ReturnType<typeof enter>): Promise<Turn> {
  const turn = await asked.entered
  if (turn === null) throw new Error("there was a turn to be had")
  return turn
}

function limits(
  kind: string,
  { limit, remaining, inMs }: { limit?: number; remaining: number; inMs: number },
): Headers {
  return new Headers({
    ...(limit === undefined ? {} : { [`anthropic-ratelimit-${kind}-limit`]: String(limit) }),
    [`anthropic-ratelimit-${kind}-remaining`]: String(remaining),
    [`anthropic-ratelimit-${kind}-reset`]: new Date(start + inMs).toISOString(),
  })
}

describe("the pace of a process", () => {
  it("lets everybody go while nothing is known", async () => {
    const { enter } = standing()
    for (const asked of [enter(), enter(), enter()]) expect((await given(asked)) && asked.waits).toEqual([])
  })

  it("holds everybody for as long as one was told to wait, but never for longer than is worth it", async () => {
    const { enter, pass } = standing()
    const stop = new AbortController()
    ;(await given(enter())).leave({ refusedMs: 30_000 })
    pass(10_000)
    const held = enter(stop.signal)
    await settled()
    expect([held.waits, held.turn()]).toEqual([[20_000], undefined])
    stop.abort()
    expect(await held.entered).toBeNull()
    pass(20_000)
    ;(await given(enter())).leave({ refusedMs: 3_600_000 })
    expect((await given(enter())) !== null).toBe(true)
  })

  it("knows one model from another", async () => {
    const pace = createPace({ now: () => start })
    ;(await given(enter(pace))).leave({ refusedMs: 30_000 })
    expect((await given(enter(pace, never, 800, "another"))) !== null).toBe(true)
  })

  it("after a refusal half as many go at once, and one more with each that worked", async () => {
    const { enter } = standing()
    const turns = await Promise.all([enter(), enter(), enter(), enter()].map(given))
    turns[0]?.leave({ refusedMs: 0 })
    const next = enter()
    await settled()
    expect(next.turn()).toBeUndefined()
    turns[1]?.leave("failed")
    await settled()
    expect(next.turn()).toBeUndefined()
    turns[2]?.leave("worked")
    expect(await given(next)).toBeDefined()
    const further = enter()
    expect(await given(further)).toBeDefined()
    const last = enter()
    await settled()
    expect(last.turn()).toBeUndefined()
    turns[3]?.leave("worked")
    expect(await given(last)).toBeDefined()
  })

  it("keeps the order of arrival, also when one in the middle gives up", async () => {
    const { enter } = standing()
    const [first] = await Promise.all([enter()].map(given))
    first?.leave({ refusedMs: 0 })
    const busy = await given(enter())
    const stop = new AbortController()
    const [second, quitter, third] = [enter(), enter(stop.signal), enter()]
    await settled()
    stop.abort()
    expect(await quitter.entered).toBeNull()
    expect([second.turn(), third.turn()]).toEqual([undefined, undefined])
    busy.leave("failed")
    const turn = await given(second)
    await settled()
    expect(third.turn()).toBeUndefined()
    turn.leave("failed")
    expect(await given(third)).toBeDefined()
  })
})

describe("the limits that the API tells", () => {
  it("are waited for when nothing is left: as long as one request takes to come back", async () => {
    const { enter } = standing()
    ;(await given(enter())).heard(limits("requests", { limit: 60, remaining: 0, inMs: 60_000 }))
    const held = enter(AbortSignal.timeout(1))
    await held.entered
    expect(held.waits).toEqual([1000])
  })

  it("are waited for until the reset when the API does not say how many there are", async () => {
    const { enter } = standing()
    ;(await given(enter())).heard(limits("requests", { remaining: 0, inMs: 7000 }))
    const held = enter(AbortSignal.timeout(1))
    await held.entered
    expect(held.waits).toEqual([7000])
  })

  it("count what was sent since, in requests and in tokens", async () => {
    const { enter, pass } = standing()
    ;(await given(enter())).heard(limits("requests", { limit: 10, remaining: 2, inMs: 8000 }))
    await Promise.all([enter(), enter()].map(given))
    const third = enter(AbortSignal.timeout(1))
    await third.entered
    expect(third.waits).toEqual([1000])
    pass(1000)
    const turn = await given(enter())
    turn.heard(limits("input-tokens", { limit: 1000, remaining: 100, inMs: 10_000 }))
    pass(8000)
    const large = enter(AbortSignal.timeout(1), 16_000)
    await large.entered
    expect(large.waits).toEqual([1000])
  })

  it("are forgotten at their reset, and never believed when they are nonsense", async () => {
    const { enter, pass } = standing()
    const turn = await given(enter())
    turn.heard(limits("tokens", { limit: 10, remaining: 0, inMs: 5000 }))
    pass(5000)
    expect((await given(enter())) !== null).toBe(true)
    turn.heard(
      new Headers({ "anthropic-ratelimit-requests-remaining": "none", "anthropic-ratelimit-requests-reset": "?" }),
    )
    expect((await given(enter())) !== null).toBe(true)
  })
})

describe("models that share a pace", () => {
  it("a 429 that one of them gets holds back all others until the API wants to be asked again", async () => {
    let heldUntil = 0
    let early = 0
    const server = await startMessagesServer((_request, index) => {
      if (Date.now() < heldUntil) early += 1
      if (index !== 0) return answer([text("Done.")])
      heldUntil = Date.now() + 400
      return errorReply(429, "rate_limit_error", { headers: { "retry-after": "0.4" } })
    })
    onTestFinished(() => server.close())
    const pace = createPace()
    const models = Array.from({ length: 6 }, () => modelFor(server, { pace }))
    const [first, ...others] = models
    if (first === undefined) throw new Error("there are six")
    let refused = () => {}
    const known = new Promise<void>((resolve) => {
      refused = resolve
    })
    const request = { system: "", tools: [], messages: [], maxOutputTokens: 10 }
    const asked = first.ask(request, { signal: never, emit: (event) => event.type === "retry" && refused() })
    await known
    const answers = await Promise.all([asked, ...others.map(async (model) => (await ask(model)).answer)])
    expect(answers.map(gist)).toEqual(models.map(() => "Done."))
    expect([server.requests.length, early]).toEqual([7, 0])
  })
})
