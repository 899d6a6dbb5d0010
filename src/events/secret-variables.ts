import picomatch from "picomatch"
import { type Secret, shortestSecret } from "./secret-forms.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The secrets of an environment: variables with a telling name or named by a glob, and passwords inside URLs. */
export function secretsOf(env: Environment, globs: readonly string[]): readonly Secret[] {
  const named = globs.length === 0 ? () => false : picomatch([...globs], { nocase: true })
  const secrets: Secret[] = []
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value === "") continue
    if (named(name) || (hasTellingName(name) && !isLocation(name, value))) secrets.push({ name, value })
    const password = /:\/\/[^\s/:@]*:([^\s/@]+)@/.exec(value)?.[1]
    if (password !== undefined) secrets.push({ name, value: password })
    if (/_HEADERS$/i.test(name)) secrets.push(...headerValuesOf(value).map((part) => ({ name, value: part })))
  }
  return secrets
}

/** The values of `name=value,name=value`, as variables of OpenTelemetry hold headers. */
function headerValuesOf(value: string): readonly string[] {
  return value.split(",").flatMap((pair) => pair.split("=").slice(1).join("=").trim() || [])
}

/** Is a value worth hiding? Short ones and everyday words would blank out half of a transcript and protect nothing. */
export function isWorthHiding(value: string): boolean {
  return value.length >= shortestSecret && !everydayValues.has(value.toLowerCase()) && !/^(.)\1*$/su.test(value)
}

const tellingName = new RegExp(
  [
    "TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|SESSION|BEARER|WEBHOOK|CONNECTION_?STRING",
    "API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|_KEY$|_PAT$|_PASS$|_PWD$|(?:^|_)DSN(?:_|$)",
    "AUTH(?!OR(?!IZ))",
  ].join("|"),
  "i",
)

/** Their names sound secret, their values are printed by every shell and tool. */
const publicNames = new Set(
  "SSH_AUTH_SOCK XAUTHORITY SESSION_MANAGER DESKTOP_SESSION GDMSESSION DBUS_SESSION_BUS_ADDRESS TERM_SESSION_ID ITERM_SESSION_ID SECURITYSESSIONID".split(
    " ",
  ),
)

const everydayValues = new Set(
  "disabled required optional undefined localhost anonymous automatic unlimited readonly read-only".split(" "),
)

function hasTellingName(name: string): boolean {
  if (publicNames.has(name) || name.startsWith("XDG_SESSION_")) return false
  return tellingName.test(name.replace(/\W/g, "_"))
}

/**
 * Where a secret lies is no secret. A leading slash alone proves nothing, since base64 may start with one: either the
 * name says that it is a location, or the value starts at a folder that everybody knows.
 */
function isLocation(name: string, value: string): boolean {
  if (/\s/.test(value)) return false
  if (/_(?:FILE|PATH|DIR|DIRECTORY|SOCK|SOCKET)$/i.test(name)) return value.includes("/")
  return /^(?:~|\.\.?|\/(?:home|root|Users|tmp|var|run|etc|opt|usr|mnt|srv|private|workspace|github|builds))\//.test(
    value,
  )
}
