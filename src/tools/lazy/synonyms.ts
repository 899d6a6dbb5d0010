import { stemOf } from "./words.ts"

/** Words of which people and servers use one for the other, whatever the domain. A word may be in several rows. */
const rows = [
  "create open add make new insert register file",
  "get read fetch retrieve show view display load inspect see look",
  "list show enumerate all",
  "search find query lookup look locate discover seek",
  "delete remove drop erase clear destroy forget discard",
  "uninstall remove",
  "update edit change modify patch replace set alter adjust",
  "send post publish write submit",
  "save write store persist",
  "run execute evaluate start launch trigger invoke begin",
  "stop end cancel abort halt kill terminate",
  "close dismiss finish",
  "move rename relocate",
  "copy duplicate clone",
  "upload push attach",
  "download pull fetch export",
  "connect link join relate attach",
  "choose select pick switch",
  "navigate go visit browse",
  "wait pause sleep",
  "check verify test validate audit",
  "compare diff difference change",
  "undo revert reset restore rollback",
  "answer reply respond response",
  "append add",
  "merge integrate combine",
  "parse extract",
  "watch monitor observe track",
  "remember memory store",
  "simulate emulate",
  "image picture photo media",
  "video recording screencast",
  "folder directory dir",
  "repository repo project",
  "user member person people account",
  "message chat",
  "doc documentation manual guide reference",
  "url link",
  "web website site internet online",
  "page tab",
  "issue bug ticket problem",
  "history log changelog",
  "latest recent newest current",
  "detail information info metadata",
  "size big large dimension",
  "setting configuration config option",
  "error failure fault exception crash",
  "event meeting appointment",
  "task todo job",
  "team group organization",
  "database db",
  "location place position",
  "near nearby local",
  "text content string",
  "environment env",
  "javascript js script",
  "kubernetes kubectl",
  "previous back last",
  "multiple several many",
  "paper article publication",
  "command shell",
]

/** What people write short. */
const abbreviations: Readonly<Record<string, readonly string[]>> = {
  pr: ["pull", "request"],
  mr: ["merge", "request"],
  prs: ["pull", "request"],
  mrs: ["merge", "request"],
  k8s: ["kubernetes"],
}

const synonyms = new Map<string, ReadonlySet<string>>()
for (const row of rows) {
  const stems = row.split(" ").map(stemOf)
  for (const stem of stems) synonyms.set(stem, new Set([...(synonyms.get(stem) ?? []), ...stems]))
}

/** Other stems that mean the same as this one, or may. */
export function synonymsOf(stem: string): readonly string[] {
  return [...(synonyms.get(stem) ?? [])].filter((other) => other !== stem)
}

/** The words behind an abbreviation; any other word is itself. */
export function expandAbbreviation(word: string): readonly string[] {
  return Object.hasOwn(abbreviations, word) ? (abbreviations[word] ?? [word]) : [word]
}
