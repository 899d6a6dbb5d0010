import { isJsonObject } from "../contract/json.ts"
import { parseVariables } from "./expand.ts"

const mask = "***"

/** Does a name say that its value is nobody's business? Rather one too many: this is only for showing. */
function looksSecret(name: string): boolean {
  return /token|secret|passw|passphrase|credential|cookie|session|bearer|auth|api[-_]?key|[-_]key$|^key$|[-_]pat$|[-_]pwd$|dsn/i.test(
    name,
  )
}

/** The value of a server's key as it may be shown: variables unexpanded, secrets masked. */
export function maskServerValue(key: string, value: unknown): unknown {
  if (key === "headers" && isJsonObject(value)) return mapValues(value, (_, text) => maskLiterals(text))
  if (key === "env" && isJsonObject(value)) {
    return mapValues(value, (name, text) => (looksSecret(name) ? maskLiterals(text) : maskText(text)))
  }
  if (key === "args" && Array.isArray(value)) return value.map((arg, index) => maskArgument(arg, value[index - 1]))
  return typeof value === "string" ? maskText(value) : value
}

/** Was something hidden in this value? */
export function hasMask(value: unknown): boolean {
  if (typeof value === "string") return value.includes(mask)
  return typeof value === "object" && value !== null && Object.values(value).some(hasMask)
}

/** `--token x` and `--token=x` hide x. */
function maskArgument(argument: unknown, previous: unknown): unknown {
  if (typeof argument !== "string") return argument
  const isValue = typeof previous === "string" && /^--?[^=]+$/.test(previous) && looksSecret(previous)
  if (isValue && !argument.startsWith("-")) return maskLiterals(argument)
  const [, name, value] = /^(-{0,2}[^=\s]+=)(.+)$/s.exec(argument) ?? []
  if (name !== undefined && value !== undefined && looksSecret(name.slice(0, -1)))
    return `${name}${maskLiterals(value)}`
  return maskText(argument)
}

/** How a header begins before the variable that holds its secret. */
const schemeAlone = /^(bearer|basic|token|apikey) +$/i

/** Keep which variables are used and hide everything else. */
function maskLiterals(text: unknown): unknown {
  if (typeof text !== "string") return text
  const shown = parseVariables(text).map((part) => {
    if (part.kind === "literal" && schemeAlone.test(part.text)) return part.text
    if (part.kind !== "variable") return mask
    return part.fallback === null ? part.written : `\${${part.name}:-${mask}}`
  })
  return shown.join("").replace(/(\*{3}){2,}/g, mask)
}

/** Hide what is secret inside a text that as a whole is not: passwords and keys in URLs, defaults of secret variables. */
function maskText(text: unknown): unknown {
  if (typeof text !== "string") return text
  return text
    .replace(/\$\{(\w+):-[^}]*\}/g, (written, name: string) => (looksSecret(name) ? `\${${name}:-${mask}}` : written))
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${mask}@`)
    .replace(/([?&]([^=&\s#]+)=)([^&\s#]+)/g, (written, head: string, name: string, value: string) =>
      looksSecret(name) && !value.startsWith("${") ? `${head}${mask}` : written,
    )
}

function mapValues(
  table: Readonly<Record<string, unknown>>,
  change: (name: string, value: unknown) => unknown,
): unknown {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(name, value)]))
}
