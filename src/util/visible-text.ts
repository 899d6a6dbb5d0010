const lineBreaks = /\r\n?|[\v\f\x85\u2028\u2029]/g
/** Colours and cursor moves (CSI), titles and links (OSC and its kin), and two-character escapes. */
const escapeSequences = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -~]/g
/** Control characters but tab and line feed, and those that reorder or hide text. */
const controls = /[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** What a person sees of a text: no escape sequences, no control or invisible characters, one kind of line break. */
export function toVisibleText(text: string): string {
  return text.replaceAll(lineBreaks, "\n").replaceAll(escapeSequences, "").replaceAll(controls, "")
}
