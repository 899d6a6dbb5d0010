const context = 3
const longestDiff = 20_000

/** A unified diff of two texts: one hunk from the first to the last line that differ. `null` stands for no file. */
export function diffLines(path: string, before: string | null, after: string): string {
  const old = linesOf(before ?? "")
  const fresh = linesOf(after)
  const head = commonLines(old, fresh)
  const tail = commonLines(old.slice(head).toReversed(), fresh.slice(head).toReversed())
  if (before !== null && head + tail === old.length && head + tail === fresh.length) return ""
  const start = Math.max(0, head - context)
  const shared = old.slice(old.length - tail, old.length - tail + context)
  const lines = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...shared.map((line) => ` ${line}`),
  ]
  const lengths = [
    head - start + shared.length + old.length - tail - head,
    head - start + shared.length + fresh.length - tail - head,
  ]
  const hunk = `@@ -${rangeOf(start, lengths[0] ?? 0)} +${rangeOf(start, lengths[1] ?? 0)} @@`
  const diff = [`--- ${before === null ? "/dev/null" : `a/${path}`}`, `+++ b/${path}`, hunk, ...lines].join("\n")
  if (diff.length <= longestDiff) return `${diff}\n`
  return `${diff.slice(0, longestDiff)}\n[… ${diff.length - longestDiff} characters left out …]\n`
}

const noNewline = "\\ No newline at end of file"

/** The lines of a text; a last line without its end says so, as diff does. */
function linesOf(text: string): readonly string[] {
  if (text === "") return []
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  return last === "" ? lines : [...lines, `${last}\n${noNewline}`]
}

function commonLines(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((line, index) => line !== other[index])
  return differs === -1 ? Math.min(one.length, other.length) : differs
}

function rangeOf(start: number, length: number): string {
  return `${length === 0 ? start : start + 1},${length}`
}
