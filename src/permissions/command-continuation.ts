import { basename } from "node:path/posix"
import { anyProgram, type Danger, dangers, launchers, wrappers } from "./command-dangers.ts"
import type { CommandWords } from "./shell-words.ts"

/**
 * May `*` stand for these further words, or none, after the words a rule spells out? Not when the program runs its
 * arguments or its input, nor when a word looks like an option that runs or writes what the rule does not name.
 */
export function isHarmlessContinuation(named: CommandWords, further: CommandWords): boolean {
  const [first, ...others] = further
  if (named.length === 0) return first !== undefined && isHarmlessContinuation([first], others)
  if (opensPhrase(wrappers, named, further) || opensPhrase(launchers, named, further)) return false
  const program = launchedProgram(named)
  if (program === null) return false
  return !isDangerous(program, further)
}

/** Does this program run what its arguments name? A deny rule looks through it. */
export function runsArguments(words: CommandWords): boolean {
  const bare = plainWords(words)
  return [...wrappers, ...launchers, ["find"], ["fd"]].some((phrase) => startsWith(bare, phrase))
}

/** The words left of a command once launchers are taken off; `null` when the rule did not say what is launched. */
function launchedProgram(named: CommandWords): CommandWords | null {
  const bare = plainWords(named)
  if (bare.length === 0 || wrappers.some((phrase) => startsWith(bare, phrase))) return null
  const launcher = launchers.filter((phrase) => startsWith(bare, phrase)).sort((a, b) => b.length - a.length)[0]
  if (launcher === undefined) return named
  const target = bare[launcher.length]
  return target === undefined ? null : launchedProgram(named.slice(named.indexOf(target, 1)))
}

/** `npm *` must not become `npm exec`: does a phrase begin in the named words and end in the further ones? */
function opensPhrase(table: readonly CommandWords[], named: CommandWords, further: CommandWords): boolean {
  const bare = plainWords(named)
  return table.some((phrase) => {
    if (phrase.length <= bare.length || !startsWith(phrase, bare)) return false
    return phrase.slice(bare.length).every((word) => further.includes(word))
  })
}

function isDangerous(program: CommandWords, further: CommandWords): boolean {
  const [name = "", ...options] = plainWords(program)
  const words = [...program.slice(1), ...further]
  const subcommand = options[0] ?? further.find((word) => !word.startsWith("-"))
  const tables = [anyProgram, dangers.get(name), dangers.get(`${name} ${subcommand}`)]
  if (further.some((word) => tables.some((danger) => danger !== undefined && looksLike(danger, word)))) return true
  const leading = dangers.get(name)?.leading
  if (leading !== undefined && options.length === 0 && startsBadly(leading, further)) return true
  if (name === "sed") return !isHarmlessSed(words)
  if (/^[gmn]?awk$/.test(name)) return !isHarmlessAwk(words)
  return name === "uniq" && words.filter((word) => !word.startsWith("-")).length > 1
}

function looksLike(danger: Danger, word: string): boolean {
  const [head = ""] = word.split("=", 1)
  if (danger.words?.includes(head) || danger.shape?.test(word)) return true
  if (word.startsWith("--")) {
    const option = head.slice(2).toLowerCase()
    return option.length > 1 && (danger.long ?? []).some((name) => name.toLowerCase().startsWith(option))
  }
  const cluster = /^-([A-Za-z0-9]+)/.exec(word)?.[1] ?? ""
  return [...(danger.short ?? "")].some((letter) => cluster.includes(letter))
}

function startsBadly(leading: RegExp, further: CommandWords): boolean {
  const subcommandAt = further.findIndex((word) => !word.startsWith("-"))
  return further.slice(0, subcommandAt === -1 ? undefined : subcommandAt).some((word) => leading.test(word))
}

const sedAddress = String.raw`(?:\d+|\$|/[^/\n\\]*/)`
const sedScript = new RegExp(
  String.raw`^(?:${sedAddress}(?:,${sedAddress})?)?(?:[pdq=]|s([/|,#:])(?:\\[^\n]|(?!\1)[^\\\n])*\1(?:\\[^\n]|(?!\1)[^\\\n])*\1[gpiI\d]*)$`,
)

/** sed can run (`e`) and write (`w`) from inside its script: only scripts that print, delete or substitute pass. */
function isHarmlessSed(words: CommandWords): boolean {
  const options = words.filter((word) => word.startsWith("-") && word !== "-")
  if (!options.every((option) => /^-[nErsuz]*e?$/.test(option))) return false
  const scripts = words.filter((_, index) => /^-\w*e$/.test(words[index - 1] ?? ""))
  if (scripts.length > 0) return scripts.every((script) => sedScript.test(script))
  const script = words.find((word) => !word.startsWith("-"))
  return script !== undefined && sedScript.test(script)
}

/** awk can run, pipe and write from inside its program: anything that could be one of these does not pass. */
function isHarmlessAwk(words: CommandWords): boolean {
  return words.every((word, index) => {
    if (word.startsWith("-F") || words[index - 1] === "-F") return true
    if (word.startsWith("-")) return word === "-v"
    return !/system|getline|[|>@]/.test(word)
  })
}

/** The words that are no options, the first without its folder: what a phrase is compared with. */
function plainWords(words: CommandWords): CommandWords {
  const [first, ...others] = words
  if (first === undefined) return []
  return [programName(first), ...others.filter((word) => !word.startsWith("-"))]
}

function programName(word: string): string {
  return basename(word).replace(/^(python|pypy|php|ruby|perl|lua)[\d.]+$/, "$1")
}

function startsWith(words: CommandWords, phrase: CommandWords): boolean {
  return phrase.every((word, index) => words[index] === word)
}
