import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { boundResult, boundText } from "../../src/tools/bound-text.ts"
import { createHeadAndTail } from "../../src/tools/head-and-tail.ts"

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) })
const astral = fc.array(fc.constantFrom("😀", "a", "é", "\ud83d", "\ude00", "\0")).map((parts) => parts.join(""))

function isValid(text: string): boolean {
  return !/\p{Surrogate}/u.test(text) && !text.includes("\0")
}

describe("boundText", () => {
  it("keeps head and tail and says how much is missing", () => {
    const text = `${"a".repeat(500)}${"b".repeat(500)}`
    expect(boundText(text, 100)).toMatch(/^a{30,40}\n\[… 9\d\d characters left out …\]\nb{30,40}$/)
    expect(boundText(text, 1000)).toBe(text)
  })

  it("F55 always gives valid Unicode without NUL in at most the length allowed, and is stable", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, astral), fc.integer({ min: 0, max: 80 }), (text, maxChars) => {
        const bounded = boundText(text, maxChars)
        expect(isValid(bounded)).toBe(true)
        expect(bounded.length).toBeLessThanOrEqual(maxChars)
        expect(boundText(bounded, maxChars)).toBe(bounded)
        expect(JSON.parse(JSON.stringify(bounded))).toBe(bounded)
      }),
    )
  })
})

describe("boundResult", () => {
  it("bounds the sum of all texts and keeps images, errors and structured data", () => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    const texts = ["x".repeat(80), "y".repeat(80)].map((text) => ({ type: "text", text }) as const)
    const result = { content: [...texts, image], isError: true, errorCode: "tool_error", structured: 1 } as const
    const bounded = boundResult(result, 100)
    expect(bounded).toEqual({
      ...result,
      content: [{ type: "text", text: expect.stringMatching(/^x+\n\[… \d+ characters left out …\]\ny+$/) }, image],
    })
    expect(boundResult(result, 160)).toEqual(result)
  })
})

describe("createHeadAndTail", () => {
  it("F52 F55 gives a short stream unchanged and a long one by its two ends, however it was chunked", () => {
    const bytes = fc.uint8Array({ maxLength: 60 })
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 12 }), fc.integer({ min: 2, max: 120 }), (chunks, maxBytes) => {
        const kept = createHeadAndTail(maxBytes)
        for (const chunk of chunks) kept.push(chunk)
        const all = Buffer.concat(chunks)
        const text = kept.text()
        expect(isValid(text)).toBe(true)
        const half = Math.floor(maxBytes / 2)
        if (all.length <= half * 2) expect(text).toBe(all.toString("utf8").replaceAll("\0", "\u2400"))
        if (all.length > half * 2) expect(text).toContain(`[… ${all.length - half * 2} bytes left out …]`)
      }),
    )
  })

  it("F55 does not leave half a character at either side of the cut", () => {
    const kept = createHeadAndTail(10)
    kept.push(Buffer.from("€€€€€€€€"))
    expect(kept.text()).toBe("€\n[… 14 bytes left out …]\n€")
  })
})
