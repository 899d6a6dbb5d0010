type Environment = Readonly<Record<string, string | undefined>>

/** One piece of a text with variables. */
export type TextPart =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string; readonly fallback: string | null; readonly written: string }
  /** `${` that opens no variable we know how to read. */
  | { readonly kind: "malformed"; readonly written: string }

/** Take a text apart into literal pieces, `${VAR}` and `${VAR:-default}`. `$${` is a literal `${`. */
export function parseVariables(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  let offset = 0
  for (const match of text.matchAll(/\$?\$\{/g)) {
    if (match.index < offset) continue
    parts.push({ kind: "literal", text: text.slice(offset, match.index) })
    if (match[0] === "$${") {
      parts.push({ kind: "literal", text: "${" })
      offset = match.index + 3
      continue
    }
    const part = readVariable(text.slice(match.index))
    parts.push(part)
    offset = match.index + part.written.length
  }
  parts.push({ kind: "literal", text: text.slice(offset) })
  return parts.filter((part) => part.kind !== "literal" || part.text !== "")
}

/** What became of expanding a text. */
export interface Expansion {
  readonly text: string
  readonly unset: readonly string[]
  readonly malformed: readonly string[]
}

/** Replace every variable by its value. A variable that is not set and has no default is named, never guessed. */
export function expandVariables(text: string, env: Environment): Expansion {
  const unset: string[] = []
  const malformed: string[] = []
  const expanded = parseVariables(text).map((part) => {
    switch (part.kind) {
      case "literal":
        return part.text
      case "malformed":
        malformed.push(part.written)
        return ""
      case "variable": {
        const value = variableOf(env, part.name)
        // As in a shell: `:-` also replaces an empty value.
        if (part.fallback !== null) return value || part.fallback
        if (value === undefined) unset.push(part.name)
        return value ?? ""
      }
      default:
        return part satisfies never
    }
  })
  return { text: expanded.join(""), unset, malformed }
}

/** A variable of the environment itself, not something that all objects have. */
export function variableOf(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

function readVariable(text: string): Exclude<TextPart, { kind: "literal" }> {
  const match = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/.exec(text)
  const [written, name, fallback = null] = match ?? []
  if (written === undefined || name === undefined || fallback?.includes("${")) {
    return { kind: "malformed", written: /^\$\{[^}]*\}?/.exec(text)?.[0] ?? text }
  }
  return { kind: "variable", name, fallback, written }
}
