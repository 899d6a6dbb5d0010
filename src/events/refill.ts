import { createRedactor, placeholderOf, type Redactor } from "./redact.ts"
import type { Secret } from "./secret-forms.ts"

/** Puts secrets back where a file that was redacted holds their placeholders. */
export interface Refill {
  /**
   * The names of the secrets in a value. `null` when it holds one in a form that could not be put back as it was: encoded,
   * cut, or known by its looks only.
   */
  namesIn(value: unknown): readonly string[] | null
  /** The value with the placeholders of these names filled. A name without a value stays and is `missing`. */
  fill<Value>(value: Value, names: readonly string[]): { readonly value: Value; readonly missing: readonly string[] }
}

/** Know these secrets by their names; `patterns` is what else is redacted. */
export function createRefill(secrets: readonly Secret[], patterns: readonly string[]): Refill {
  const values = new Map<string, string>()
  for (const { name, value } of secrets) if (!values.has(name)) values.set(name, value)
  let redactor: Redactor | null = null

  function redacted(value: unknown): unknown {
    redactor ??= createOwnRedactor(secrets, patterns)
    return redactor.redact(value)
  }

  function fill<Value>(value: Value, names: readonly string[]) {
    const missing = names.filter((name) => !values.has(name))
    const filled = replaceTexts(value, (text) =>
      names.reduce(
        (result, name) => result.replaceAll(placeholderOf(name), () => values.get(name) ?? placeholderOf(name)),
        text,
      ),
    )
    // Texts become texts and keys keep their places, so the shape is that of the value.
    return { value: filled as Value, missing }
  }

  return {
    namesIn(value) {
      const hidden = redacted(value)
      const text = JSON.stringify(hidden)
      if (text === JSON.stringify(value)) return []
      const names = [...values.keys()].filter((name) => text.includes(placeholderOf(name)))
      return JSON.stringify(fill(hidden, names).value) === JSON.stringify(value) ? names : null
    },
    fill,
  }
}

/** One of its own, so that looking at a value does not count as redacting it. */
function createOwnRedactor(secrets: readonly Secret[], patterns: readonly string[]): Redactor {
  const redactor = createRedactor({ env: {}, envGlobs: [], patterns: [] })
  redactor.add(secrets, patterns)
  return redactor
}

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return replace(value)
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replace(key), replaceTexts(item, replace)]))
}
