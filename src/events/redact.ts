import { toVisibleText } from "../util/visible-text.ts"
import { toWellFormed } from "../util/well-formed.ts"
import { replaceCutSecrets } from "./cut-secrets.ts"
import { formsOf, type Secret, shortestSecret } from "./secret-forms.ts"
import { isWorthHiding, secretsOf } from "./secret-variables.ts"
import { compileUserPattern, type ReplacePattern, slowPatternPlaceholder } from "./user-patterns.ts"
import { vendorPatterns } from "./vendor-patterns.ts"

/** Replaces secrets by `[redacted:NAME]`, in all their usual spellings. Redacting twice changes nothing more. */
export interface Redactor {
  /** Deep, keys too; what comes back is safe to write as JSON. */
  redact<Value>(value: Value): Value
  redactText(text: string): string
  /** What `redact` would give, without counting it. */
  preview(value: unknown): unknown
  /** How many replacements were made so far. */
  count(): number
  /** Learn more secrets and patterns, such as those of a configuration that was just read. */
  add(secrets: readonly Secret[], patterns: readonly string[]): void
}

/** The one guard in front of every output; a pattern that is no regular expression is a UserError. */
export function createRedactor(options: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly envGlobs: readonly string[]
  readonly patterns: readonly string[]
}): Redactor {
  let secrets: readonly Secret[] = []
  let sources: readonly string[] = []
  let compiled = compileSecrets([])
  let replacePatterns: readonly ReplacePattern[] = []
  let replacements = 0

  function add(moreSecrets: readonly Secret[], morePatterns: readonly string[]): void {
    secrets = [...secrets, ...moreSecrets]
    sources = [...new Set([...sources, ...morePatterns])]
    compiled = compileSecrets(secrets)
    const keep = [...compiled.placeholders].map(escapeRegExp).join("|")
    replacePatterns = sources.map((source) => compileUserPattern(source, keep))
  }

  function redactOnce(text: string): string {
    if (text.length < shortestSecret && replacePatterns.length === 0) return text
    let result = replaceCutSecrets(compiled.replace(text, countOne), compiled.hidden, countOne)
    for (const replacePattern of replacePatterns) {
      result = replacePattern(result, (match) => (compiled.placeholders.has(match) ? match : countOne("pattern")))
    }
    return result
  }

  function countOne(name: string): string {
    replacements += 1
    return placeholderOf(name)
  }

  /** A replacement may bring two halves of another hit together, so a text that changed is looked at again. */
  function redactFully(text: string): string {
    let current = text
    for (let pass = 0; pass < 5; pass += 1) {
      const next = redactOnce(current)
      if (next === current) return next
      current = next
    }
    return current
  }

  /** A colour inside a secret hides it from us but not from a reader, so what a reader sees must be clean as well. */
  function redactText(text: string): string {
    const redacted = redactFully(toWellFormed(text))
    const visible = toVisibleText(redacted)
    if (visible === redacted) return redacted
    const redactedVisible = redactFully(visible)
    return redactedVisible === visible ? redacted : redactedVisible
  }

  add(secretsOf(options.env, options.envGlobs), options.patterns)
  return {
    redactText,
    // The shape stays: strings become strings, objects keep their keys unless a key is a secret.
    redact: <Value>(value: Value) => redactValue(value, redactText, []) as Value,
    preview(value) {
      const before = replacements
      const redacted = redactValue(value, redactText, [])
      replacements = before
      return redacted
    },
    count: () => replacements,
    add,
  }
}

const deepest = 100

/** What stands for a secret of this name in every output. */
export function placeholderOf(name: string): string {
  return `[redacted:${name.replaceAll(/[^\w.-]/g, "_").slice(0, 64)}]`
}

interface CompiledSecrets {
  /** Those that are worth hiding. */
  readonly hidden: readonly Secret[]
  readonly replace: (text: string, placeholder: (name: string) => string) => string
  /** The placeholders in use: these stay, and nothing else that merely looks like one. */
  readonly placeholders: ReadonlySet<string>
}

/** One expression for everything, longest first, so that clean text is scanned once. */
function compileSecrets(secrets: readonly Secret[]): CompiledSecrets {
  const hidden = secrets.filter(({ value }) => isWorthHiding(value))
  const names = [...hidden.map(({ name }) => name), ...vendorPatterns.map(({ name }) => name), "pattern"]
  const placeholders = new Set([...names.map(placeholderOf), slowPatternPlaceholder])
  const allPlaceholders = [...placeholders].join("\n")
  const nameOfForm = new Map<string, string>()
  for (const { name, value } of hidden) {
    for (const form of formsOf(value)) {
      if (!nameOfForm.has(form) && !allPlaceholders.includes(form)) nameOfForm.set(form, name)
    }
  }
  const forms = [...nameOfForm.keys()].sort((a, b) => b.length - a.length)
  const keep = [...placeholders].map(escapeRegExp).join("|")
  const exact = forms.length === 0 ? "(?!)" : forms.map(escapeRegExp).join("|")
  const vendors = vendorPatterns.map(({ source }) => `(${source})`).join("|")
  const pattern = new RegExp(`(${keep})|(${exact})|${vendors}`, "g")

  return {
    hidden: hidden.filter(({ value }) => nameOfForm.has(value)),
    placeholders,
    replace: (text, placeholder) =>
      text.replace(pattern, (match, kept: string | undefined, form: string | undefined, ...groups: unknown[]) => {
        if (kept !== undefined) return kept
        if (form !== undefined) return placeholder(nameOfForm.get(form) ?? "pattern")
        const vendor = vendorPatterns[groups.findIndex((group) => group !== undefined)]
        if (vendor === undefined) return placeholder("pattern")
        if (vendor.keep === undefined) return placeholder(vendor.name)
        const [before = "", after = ""] = match.match(vendor.keep) ?? []
        return before + placeholder(vendor.name) + after
      }),
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}

/** Also bounds what JSON cannot hold: cycles, endless depth, big integers, bytes. */
function redactValue(value: unknown, redactText: (text: string) => string, parents: readonly object[]): unknown {
  if (typeof value === "string") return redactText(value)
  if (typeof value === "bigint") return redactText(String(value))
  if (typeof value === "number") return redactNumber(value, redactText)
  if (typeof value !== "object" || value === null) return value
  if (parents.includes(value)) return "[circular]"
  if (parents.length >= deepest) return "[too deep]"
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  const path = [...parents, value]
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactText, path))
  if ("toJSON" in value && typeof value.toJSON === "function") return redactValue(value.toJSON(), redactText, path)

  const taken = new Map<string, unknown>()
  for (const [key, item] of Object.entries(value)) {
    taken.set(freeKey(redactText(key), taken), redactValue(item, redactText, path))
  }
  return Object.fromEntries(taken)
}

/** A password of digits may arrive as a number; numbers of fewer digits than a secret has stay numbers. */
function redactNumber(value: number, redactText: (text: string) => string): number | string {
  if (Math.abs(value) < 10 ** (shortestSecret - 1)) return value
  const text = String(value)
  const redacted = redactText(text)
  return redacted === text ? value : redacted
}

function freeKey(key: string, taken: ReadonlyMap<string, unknown>): string {
  let free = key
  for (let copy = 2; taken.has(free); copy += 1) free = `${key} (${copy})`
  return free
}
