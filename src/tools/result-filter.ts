/** What to leave out of the results of a search. */
export interface ResultFilter {
  /** By the path that ripgrep prints. */
  readonly hides: (path: string) => boolean
  /** What stands behind a name: nothing, a count, a line with its number, or a line that is shown without it. */
  readonly behind: "nothing" | "count" | "numbered line" | "plain line"
}

/** A filter at work on the output of one search. */
export interface RunningFilter {
  /** What ripgrep needs to be told, so that names can be told from text. */
  readonly args: readonly string[]
  /** What may be shown of this piece and of what was held back before. */
  push(chunk: Buffer): Buffer
  /** What may be shown of the end, which no name precedes. */
  rest(): Buffer
}

const nul = 0
const newline = 0x0a

/**
 * Take the results of hidden files out of what ripgrep prints, and leave the rest as if they had never been there. Done on
 * the output and not by globs of ripgrep, so that a rule hides here exactly the files it matches everywhere else.
 */
export function createResultFilter({ hides, behind }: ResultFilter): RunningFilter {
  const namesOnly = behind === "nothing"
  let pending: Buffer = Buffer.alloc(0)
  let shownBefore = false
  let separated = false

  function isHidden(name: string): boolean {
    // A name may hold newlines, and so may a remark of ripgrep about the file before: whichever it is, it must not be hidden.
    return name.split("\n").some((_, index, lines) => hides(lines.slice(index).join("\n")))
  }

  return {
    args: ["--null", ...(namesOnly ? [] : ["--context-separator=\\x00"]), ...(behind === "plain line" ? ["-n"] : [])],
    push(chunk) {
      pending = Buffer.concat([pending, chunk])
      const shown: (Buffer | string)[] = []
      let start = 0
      for (;;) {
        const nameEnd = pending.indexOf(nul, start)
        const end = namesOnly ? nameEnd : pending.indexOf(newline, nameEnd)
        if (nameEnd === -1 || end === -1) break
        const name = pending.subarray(start, nameEnd)
        const isSeparator = name.length === 0
        separated ||= isSeparator
        if (!isSeparator && !isHidden(name.toString("utf8"))) {
          if (separated && shownBefore) shown.push("--\n")
          shown.push(name, namesOnly ? "\0" : lineBehind(pending.subarray(nameEnd + 1, end + 1)))
          shownBefore = true
          separated = false
        }
        start = end + 1
      }
      pending = pending.subarray(start)
      return Buffer.concat(shown.map((part) => Buffer.from(part)))
    },
    rest() {
      const [name = ""] = pending.toString("utf8").split(": ")
      return isHidden(name) ? Buffer.alloc(0) : pending
    },
  }

  function lineBehind(line: Buffer): Buffer {
    if (behind === "count") return Buffer.concat([Buffer.from(":"), line])
    const mark = line.findIndex((byte) => byte < 0x30 || byte > 0x39)
    return Buffer.concat([line.subarray(mark, mark + 1), behind === "numbered line" ? line : line.subarray(mark + 1)])
  }
}
