import { toWellFormed } from "../util/well-formed.ts"

/** A value that must not be seen, and the name it is replaced by. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** Shorter values are too common to be hidden wherever they occur. */
export const shortestSecret = 8

/** Every spelling of a secret that programs commonly produce: plain, base64, hex, URL, JSON, HTML, reversed. */
export function formsOf(value: string): readonly string[] {
  const wellFormed = toWellFormed(value)
  const plains = [wellFormed, trim(wellFormed), ...linesOf(wellFormed), ...credentialOf(wellFormed)]
  const forms = plains.filter((plain) => plain.length >= shortestSecret).flatMap(spellingsOf)
  return [...new Set(forms)]
}

/** Without white space around it, and without brackets, which together with those of a placeholder could spell the secret. */
function trim(value: string): string {
  return value.replaceAll(/^[\s[\]]+|[\s[\]]+$/g, "")
}

/** The lines of a key or a JSON file show up one by one in logs; short and framing lines are no secret. */
function linesOf(value: string): readonly string[] {
  const lines = value.trim().split(/\r?\n/)
  if (lines.length === 1) return []
  return lines.map((line) => line.trim()).filter((line) => line.length >= 16 && !line.startsWith("-----"))
}

/** What follows the scheme of an Authorization header. */
function credentialOf(value: string): readonly string[] {
  const credential = /^(?:bearer|basic|token|apikey)\s+(\S+)$/i.exec(value.trim())?.[1]
  return credential === undefined ? [] : [credential]
}

function spellingsOf(plain: string): readonly string[] {
  const bytes = Buffer.from(plain, "utf8")
  const hex = bytes.toString("hex")
  const url = encodeURIComponent(plain)
  const json = jsonEscape(plain)
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset))
  return [
    plain,
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
    hex.toUpperCase(),
    url,
    url.replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
    url.replaceAll("%20", "+").replaceAll(/[!'()*~]/g, percentEscape),
    url.replaceAll(/[!'()*]/g, percentEscape),
    json,
    jsonEscape(json),
    json.replaceAll("/", "\\/"),
    json.replaceAll(/[^\x00-\x7f]/g, unicodeEscape),
    htmlEscape(plain, "&#39;"),
    htmlEscape(plain, "&#x27;"),
    [...plain].reverse().join(""),
  ]
}

/** The characters that base64 shows for these bytes wherever they stand in a longer text, `offset` bytes after a border. */
function base64Core(bytes: Uint8Array, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

function percentEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}

function jsonEscape(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function htmlEscape(text: string, apostrophe: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", apostrophe)
}
