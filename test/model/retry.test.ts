import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Fault } from "../../src/model/fault.ts"
import { defaultWaits, planRetry } from "../../src/model/retry.ts"

const kinds = fc.constantFrom("soon" as const, "told_when" as const, "unreachable" as const)
const faults: fc.Arbitrary<Fault> = fc.record({
  code: fc.constant("model_overloaded" as const),
  message: fc.constant("busy"),
  hint: fc.constant(null),
  retry: kinds,
  retryAfterMs: fc.option(fc.nat(200_000)),
})

/** Play faults one after the other, each attempt lasting a while or until its first byte is overdue, until the plan gives up. */
function play(sequence: readonly { fault: Fault; lastsMs: number }[], random: () => number) {
  let now = 0
  let firstFaultAt: number | null = null
  let unreachable = 0
  let firstByteMs = defaultWaits.firstByteMs
  const delays: number[] = []
  for (const [index, { fault, lastsMs }] of sequence.entries()) {
    now += Math.min(lastsMs, firstByteMs)
    firstFaultAt ??= now
    if (fault.retry === "unreachable") unreachable += 1
    const history = { attempts: index + 1, unreachable, sinceStartMs: now, sinceFirstFaultMs: now - firstFaultAt }
    const plan = planRetry(fault, history, { waits: defaultWaits, random })
    if (plan.kind === "give_up") return { attempts: index + 1, unreachable, delays, retriedMs: now - firstFaultAt, now }
    delays.push(plan.delayMs)
    now += plan.delayMs
    firstByteMs = plan.firstByteMs
  }
  throw new Error("it was retried for ever")
}

const sequenceOf = (fault: fc.Arbitrary<Fault>) =>
  fc.array(fc.record({ fault, lastsMs: fc.nat(90_000) }), { minLength: 7, maxLength: 7 })
const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

describe("retries", () => {
  it("F5 end after six attempts at most, whatever the faults are", () => {
    fc.assert(
      fc.property(sequenceOf(faults), chance, (sequence, luck) => {
        expect(play(sequence, () => luck).attempts).toBeLessThanOrEqual(6)
      }),
    )
  })

  it("F1 end within 60 s of the first fault, or 120 s where the API says when to come back", () => {
    fc.assert(
      fc.property(sequenceOf(faults), chance, (sequence, luck) => {
        const told = sequence.some(({ fault }) => fault.retry === "told_when")
        expect(play(sequence, () => luck).retriedMs).toBeLessThanOrEqual(told ? 120_000 : 60_000)
      }),
    )
  })

  it("F25 end after three tries and 30 s when nobody is reached", () => {
    const unreachable = faults.map((fault) => ({ ...fault, retry: "unreachable" as const, retryAfterMs: null }))
    const short = fc.array(fc.record({ fault: unreachable, lastsMs: fc.nat(10_000) }), { minLength: 7, maxLength: 7 })
    fc.assert(
      fc.property(short, chance, (sequence, luck) => {
        const { attempts, now } = play(sequence, () => luck)
        expect(attempts).toBeLessThanOrEqual(3)
        expect(now).toBeLessThanOrEqual(30_000)
      }),
    )
  })

  it("F2 wait at least three quarters of our own backoff, and at least what the API asked for", () => {
    fc.assert(
      fc.property(sequenceOf(faults), chance, (sequence, luck) => {
        for (const [index, delay] of play(sequence, () => luck).delays.entries()) {
          const floor = Math.min(500 * 2 ** index, 8000) * 0.75
          expect(delay).toBeGreaterThanOrEqual(Math.max(floor, sequence[index]?.fault.retryAfterMs ?? 0))
        }
      }),
    )
  })
})
