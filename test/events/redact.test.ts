import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createRedactor } from "../../src/events/redact.ts"
import { encodings } from "../support/encodings.ts"

const secret = `pa"ss\\wörd & <more>/'it'+~ 1`

function redactorOf(env: Record<string, string>) {
  return createRedactor({ env, envGlobs: [], patterns: [] })
}

describe("the redactor", () => {
  it.each(Object.entries(encodings))("T22 hides a secret written as %s", (_name, encode) => {
    const redacted = redactorOf({ API_TOKEN: secret }).redactText(`before ${encode(secret)} after`)
    expect(redacted).not.toContain(encode(secret))
    expect(redacted).toMatch(/^before \S{0,3}\[redacted:API_TOKEN\]\S{0,3} after$/)
  })

  it("T22 hides a secret that sits anywhere inside a longer base64 text", () => {
    const redactor = redactorOf({ API_TOKEN: "correct-horse-battery" })
    for (const [before, after] of ["", "a", "ab", "abc"].flatMap((head) =>
      ["", "z", "zy"].map((tail) => [head, tail]),
    )) {
      const encoded = Buffer.from(`${before}correct-horse-battery${after}`).toString("base64")
      const decoded = Buffer.from(redactor.redactText(encoded), "base64").toString("latin1")
      expect(redactor.redactText(encoded)).toContain("[redacted:API_TOKEN]")
      expect(decoded).not.toContain("horse")
    }
  })

  it("T22 hides each line of a secret of several lines, and the credential behind a scheme", () => {
    const key = "-----BEGIN THING-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END THING-----\n"
    const redactor = redactorOf({ DEPLOY_KEY: key, AUTH_HEADER: "Bearer abcdefgh12345678" })
    expect(redactor.redactText("line AQEFAASCBKcwggSjAgEAAoIB here")).toBe("line [redacted:DEPLOY_KEY] here")
    expect(redactor.redactText("-----END THING-----")).toBe("-----END THING-----")
    expect(redactor.redactText("curl -u abcdefgh12345678")).toBe("curl -u [redacted:AUTH_HEADER]")
  })

  it("prefers the longest secret, keeps what only looks like a placeholder hidden, and counts", () => {
    const redactor = redactorOf({ A_TOKEN: "correct-horse", B_TOKEN: "correct-horse-battery" })
    expect(redactor.redactText("correct-horse-battery correct-horse")).toBe("[redacted:B_TOKEN] [redacted:A_TOKEN]")
    expect(redactor.redactText("[redacted:correct-horse]")).toBe("[redacted:[redacted:A_TOKEN]]")
    expect(redactor.count()).toBe(3)
  })

  it("keeps structure, never loses a key, and treats prototype names as data", () => {
    const redactor = redactorOf({ A_TOKEN: "correct-horse", B_TOKEN: "battery-staple" })
    const value = JSON.parse(
      '{"__proto__":{"a":"correct-horse"},"correct-horse":1,"[redacted:A_TOKEN]":2,"n":null,"t":true}',
    )
    expect(JSON.stringify(redactor.redact(value))).toBe(
      '{"__proto__":{"a":"[redacted:A_TOKEN]"},"[redacted:A_TOKEN]":1,"[redacted:A_TOKEN] (2)":2,"n":null,"t":true}',
    )
  })
})

describe("laws of the redactor", () => {
  const secrets = fc.array(fc.string({ unit: "grapheme", minLength: 8, maxLength: 24 }), { minLength: 1, maxLength: 4 })
  const awkward = fc.constantFrom(
    "]redacted",
    "zzzzzzz[",
    "[redacted:",
    "redacted:S_TOKEN_0",
    "]zzzzzzzz",
    "a:b@c/d://",
    "ghp_aaaa",
  )
  const cases = fc
    .tuple(
      fc.array(fc.oneof(secrets, fc.array(awkward, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 2 }),
    )
    .map(([lists]) => lists.flat())
    .chain((values) => {
      const piece = fc.oneof(
        fc.string({ unit: "binary", maxLength: 6 }),
        fc.constantFrom(...values),
        fc
          .constantFrom(...values)
          .chain((value) => fc.constantFrom(...Object.values(encodings).map((encode) => encode(value)))),
      )
      return fc.record({
        values: fc.constant(values),
        text: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
      })
    })

  it("T22 redacting twice changes nothing more, no secret is left, and JSON stays JSON", () => {
    fc.assert(
      fc.property(cases, ({ values, text }) => {
        const env = Object.fromEntries(values.map((value, index) => [`S_TOKEN_${index}`, value]))
        const redactor = redactorOf(env)
        const once = redactor.redactText(text)
        expect(redactor.redactText(once)).toBe(once)
        for (const value of values.filter(isNoPartOfPlaceholder)) expect(once).not.toContain(value)
        const object = { [text]: [text, { text }] }
        expect(redactor.redact(redactor.redact(object))).toEqual(redactor.redact(object))
        expect(JSON.parse(JSON.stringify(redactor.redact(object)))).toEqual(redactor.redact(object))
      }),
      { numRuns: 300 },
    )
  })

  /** A value that is spelled like a placeholder, like an everyday word or like one repeated character is documented not to be hidden. */
  function isNoPartOfPlaceholder(value: string): boolean {
    const bare = value.replace(/^[[\]]+|[[\]]+$/g, "")
    return value.length >= 8 && !"[redacted:S_TOKEN_0]".includes(bare) && !/^(.)\1*$/su.test(value)
  }
})

describe("a secret that was cut", () => {
  const redactor = redactorOf({ API_TOKEN: "correct-horse-battery-staple" })

  it.each([
    ["at the end of a text", "the key is correct-horse-ba", "the key is [redacted:API_TOKEN]"],
    ["at the start of a text", "battery-staple was the key", "[redacted:API_TOKEN] was the key"],
    [
      "before a note",
      "correct-hor\n[… 9 characters left out …]\nrest",
      "[redacted:API_TOKEN]\n[… 9 characters left out …]\nrest",
    ],
    [
      "behind a note",
      "x\n[… 9 characters left out …]\ny-staple z",
      "x\n[… 9 characters left out …]\n[redacted:API_TOKEN] z",
    ],
    ["before a mark", "correct-horse-… [cut]", "[redacted:API_TOKEN]… [cut]"],
    ["in the middle of a text, as an ordinary word", "a correct-horse walks", "a correct-horse walks"],
    ["to less than eight characters", "the key is correct", "the key is correct"],
  ])("T22 %s", (_where, text, expected) => {
    expect(redactor.redactText(text)).toBe(expected)
    expect(redactor.redactText(expected)).toBe(expected)
  })

  it("T22 into the blocks of one message is hidden in both", () => {
    expect(redactor.redact(["is correct-horse-", "battery-staple."])).toEqual([
      "is [redacted:API_TOKEN]",
      "[redacted:API_TOKEN].",
    ])
  })
})
