import { invisibleCharacters } from "../invisible.ts"

/** Something in a text of a server that a person does not see, or that is meant to steer the model. */
export interface Hazard {
  readonly rule: "hidden-text" | "model-instructions" | "sensitive-path"
  /** What was found, safe to print. */
  readonly found: string
}

/** Everything in a text that has no business in the description of a tool. */
export function hazardsIn(text: string): readonly Hazard[] {
  const hidden = hiddenCharacters(text)
  const readable = text.replaceAll(invisibleCharacters, "").normalize("NFKC")
  const steering = instructionPatterns.flatMap((pattern) => pattern.exec(readable)?.[0] ?? [])
  const paths = sensitivePaths.exec(readable)?.[0]
  return [
    ...(hidden === null ? [] : [{ rule: "hidden-text", found: hidden } as const]),
    ...steering.slice(0, 1).map((found) => ({ rule: "model-instructions", found: shorten(found) }) as const),
    ...(paths === undefined ? [] : [{ rule: "sensitive-path", found: paths } as const]),
  ]
}

/** Joined emoji and flags of regions are written with such characters; they are seen. */
const emojiSequences =
  /\p{Extended_Pictographic}(?:[\ufe0f\p{Emoji_Modifier}])*(?:\u200d\p{Extended_Pictographic}(?:[\ufe0f\p{Emoji_Modifier}])*)+|\u{1f3f4}[\u{e0020}-\u{e007e}]{2,8}\u{e007f}/gu

/** Between letters of these scripts the two joiners decide how a word is drawn. */
const joinedLetters =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{M}])[\u200c\u200d]/gu

function hiddenCharacters(text: string): string | null {
  const found = text.replaceAll(emojiSequences, "").replaceAll(joinedLetters, "").match(invisibleCharacters) ?? []
  if (found.length === 0) return null
  const codes = [...new Set(found)].slice(0, 3).map((character) => {
    const code = character.codePointAt(0) ?? 0
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  })
  return `${found.length} hidden ${found.length === 1 ? "character" : "characters"} (${codes.join(", ")})`
}

const instructionPatterns: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|these|those|of)\s+)*(?:previous|prior|above|earlier|preceding|foregoing|other|existing|system)\s+(?:\w+\s+)?(?:instructions?|prompts?|rules?|messages?|directions?|guidelines?|constraints?)/i,
  /<\s*\/?\s*(?:important|system|instructions?|system[-_]?(?:prompt|reminder|message))\s*>/i,
  /<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/i,
  /\b(?:do\s+not|don't|never|must\s+not)\s+(?:tell|mention|inform|reveal|notify|disclose|alert|warn)\b[^.\n]{0,60}\b(?:user|human|operator|developer|anyone)\b/i,
  /\bwithout\s+(?:telling|informing|notifying|alerting|mentioning)\b[^.\n]{0,40}\b(?:user|human|operator|developer|anyone)\b/i,
  /\b(?:reveal|print|repeat|output|leak|send|include|pass)\b[^.\n]{0,40}\b(?:your|the)\s+system\s+prompt\b/i,
  /\b(?:new|updated|real|actual)\s+(?:system\s+)?instructions?\s*:/i,
  /\byou\s+are\s+now\s+(?:an?|the|in|no\s+longer)\b/i,
]

const sensitivePaths =
  /~?\/?\.ssh\/(?:id_\w+|config)|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws\/credentials|\/etc\/(?:passwd|shadow)\b|\.cursor\/mcp\.json|claude_desktop_config\.json|\/proc\/[\w*]+\/environ/i

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ")
  return line.length <= 80 ? line : `${line.slice(0, 80)}…`
}
