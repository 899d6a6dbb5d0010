/** A piece of a template: literal text, or an expression such as `{id}`, `{+path}`, `{?page,size}`. */
type Part =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "expression"; readonly operator: string; readonly names: readonly string[] }

const maxUriLength = 2048
const maxParts = 32

/** Could this URI come from this template (RFC 6570, levels 1 to 3)? Bounded in time, whatever the server wrote. */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > maxUriLength || hasParentSegment(uri)) return false
  const parts = parseTemplate(template)
  if (parts === null || parts.length > maxParts) return false
  let reached = new Set([0])
  for (const part of parts) {
    reached = part.kind === "literal" ? passLiteral(part.text, uri, reached) : passExpression(part, uri, reached)
    if (reached.size === 0) return false
  }
  return reached.has(uri.length)
}

/** `docs/{name}` must not become a way up the tree. */
function hasParentSegment(uri: string): boolean {
  return /(^|[/\\])\.\.($|[/\\?#])/.test(uri.replace(/%2e/gi, ".").replace(/%2f/gi, "/").replace(/%5c/gi, "\\"))
}

function parseTemplate(template: string): readonly Part[] | null {
  const parts: Part[] = []
  for (const [piece] of template.matchAll(/\{[^{}]*\}|[^{}]+|[{}]/g)) {
    if (!piece.startsWith("{") && piece !== "}") {
      parts.push({ kind: "literal", text: piece })
      continue
    }
    const expression = /^\{([+#./;?&]?)([^{}]+)\}$/.exec(piece)
    if (expression === null) return null
    const names = (expression[2] ?? "").split(",").map((name) => name.trim().replace(/\*$|:\d+$/, ""))
    parts.push({ kind: "expression", operator: expression[1] ?? "", names })
  }
  return parts
}

function passLiteral(text: string, uri: string, from: ReadonlySet<number>): Set<number> {
  return new Set([...from].filter((at) => uri.startsWith(text, at)).map((at) => at + text.length))
}

/** Which characters the value of an expression may have. */
const allowed: Readonly<Record<string, RegExp>> = {
  "": /[^/?#&=]/,
  "+": /./s,
  "#": /./s,
  ".": /[^/?#&=]/,
  "/": /[^?#]/,
  ";": /[^/?#]/,
}

function passExpression(
  part: Extract<Part, { kind: "expression" }>,
  uri: string,
  from: ReadonlySet<number>,
): Set<number> {
  const { operator, names } = part
  if (operator === "?" || operator === "&") return passQuery(operator, names, { uri, from })
  const prefix = operator === "+" ? "" : operator
  const character = allowed[operator] ?? /[^/?#]/
  const reached = new Set<number>()
  // An expression with a prefix may be absent as a whole; one without must have a value.
  if (prefix !== "") for (const at of from) reached.add(at)
  let inside = false
  for (let at = 0; at < uri.length; at += 1) {
    inside = (inside || startsHere(at, prefix, { uri, from })) && character.test(uri.charAt(at))
    if (inside) reached.add(at + 1)
  }
  return reached
}

function startsHere(at: number, prefix: string, { uri, from }: { uri: string; from: ReadonlySet<number> }): boolean {
  if (prefix === "") return from.has(at)
  return at > 0 && uri.charAt(at - 1) === prefix && from.has(at - 1)
}

/** `{?a,b}`: only the names of the template, in any order, all of them optional. */
function passQuery(
  operator: "?" | "&",
  names: readonly string[],
  { uri, from }: { readonly uri: string; readonly from: ReadonlySet<number> },
): Set<number> {
  const reached = new Set(from)
  for (const start of from) {
    let at = start
    let separator: string = operator
    while (uri.charAt(at) === separator) {
      const pair = /^([^=&#]*)=([^&#]*)/.exec(uri.slice(at + 1))
      if (pair === null || !names.includes(pair[1] ?? "")) break
      at += 1 + pair[0].length
      reached.add(at)
      separator = "&"
    }
  }
  return reached
}
