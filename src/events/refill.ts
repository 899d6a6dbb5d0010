import { placeholderOf, type Redactor } from "./redact.ts"
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

/** Know these secrets by their names; the redactor of the run may know more, which cannot be put back. */
export function createRefill(secrets: readonly Secret[], redactor: Pick<Redactor, "preview">): Refill {
  const values = new Map<string, string>()
  for (const { name, value } of secrets) if (!values.has(name)) values.set(name, value)

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
      const hidden = redactor.preview(value)
      const text = JSON.stringify(hidden)
      if (text === JSON.stringify(value)) return []
      const names = [...values.keys()].filter((name) => text.includes(placeholderOf(name)))
      return JSON.stringify(fill(hidden, names).value) === JSON.stringify(value) ? names : null
    },
    fill,
  }
}

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return replace(value)
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replace(key), replaceTexts(item, replace)]))
}
