import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { spellInvisible } from "../invisible.ts"

const mostChanges = 20
const longestText = 160
const around = 40

/** What changed between two definitions, a line each: texts as - and + lines, everything else by its path. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly string[] {
  const changes = [...compare(before, after, "")]
  if (changes.length <= mostChanges) return changes
  return [...changes.slice(0, mostChanges), `… and ${changes.length - mostChanges} more`]
}

function* compare(before: unknown, after: unknown, path: string): Generator<string> {
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      yield* compare(ownValue(before, key), ownValue(after, key), path === "" ? key : `${path}.${key}`)
    }
    return
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const [removed, added] = [linesOf(before), linesOf(after)]
  if (removed !== null && added !== null) yield* compareLines(removed, added, path)
  else if (before === undefined) yield `+ ${path}: ${show(after)}`
  else if (after === undefined) yield `- ${path}: ${show(before)}`
  else {
    const [one, other] = cutToChange(show(before, Number.POSITIVE_INFINITY), show(after, Number.POSITIVE_INFINITY))
    yield `~ ${path}: ${one} → ${other}`
  }
}

/** The lines of a pinned text; nothing at all is no line. */
function linesOf(value: unknown): readonly string[] | null {
  if (value === undefined) return []
  return Array.isArray(value) && value.every((line) => typeof line === "string") ? value : null
}

function* compareLines(before: readonly string[], after: readonly string[], path: string): Generator<string> {
  const start = commonStart(before, after)
  const end = commonStart([...before.slice(start)].reverse(), [...after.slice(start)].reverse())
  const removed = before.slice(start, before.length - end)
  const added = after.slice(start, after.length - end)
  for (let line = 0; line < Math.max(removed.length, added.length); line += 1) {
    const [one, other] = [removed[line], added[line]]
    const [shownOne, shownOther] = cutToChange(one ?? "", other ?? "")
    if (one !== undefined) yield `- ${path}: ${shownOne}`
    if (other !== undefined) yield `+ ${path}: ${shownOther}`
  }
}

/** Long texts as the part in which they differ. */
function cutToChange(one: string, other: string): readonly [string, string] {
  const start = Math.max(0, commonStart(one, other) - around)
  const cut = (text: string) => {
    const part = text.slice(start, start + longestText)
    return spellInvisible(`${start > 0 ? "…" : ""}${part}${start + longestText < text.length ? "…" : ""}`)
  }
  return [cut(one), cut(other)]
}

function commonStart(one: ArrayLike<unknown>, other: ArrayLike<unknown>): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1
  return length
}

function show(value: unknown, longest = longestText): string {
  const text = spellInvisible(JSON.stringify(value) ?? "")
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}

function ownValue(table: JsonObject, key: string): unknown {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
