import { readFileSync } from "node:fs"

/** A fenced block of a page, with what the comments right above it say about it. */
export interface DocBlock {
  readonly language: string
  readonly text: string
  readonly line: number
  /** `<!-- run: 2, needs: jq -->` is `run` → `2` and `needs` → `jq`. */
  readonly notes: ReadonlyMap<string, string>
}

/** A page of the documentation, taken apart. */
export interface DocPage {
  readonly path: string
  readonly blocks: readonly DocBlock[]
  /** The page without its fenced blocks. */
  readonly prose: string
  readonly headings: readonly string[]
}

const fence = /^((?:<!--[^\n]*-->\n)*)```(\w*)\n([\s\S]*?)^```$/gm

/** Read a page of Markdown. */
export function readPage(root: string, path: string): DocPage {
  return parsePage(path, readFileSync(`${root}/${path}`, "utf8"))
}

/** Take a page of Markdown apart. */
export function parsePage(path: string, source: string): DocPage {
  const blocks = [...source.matchAll(fence)].map((match) => {
    const [, comments = "", language = "", text = ""] = match
    return { language, text, line: source.slice(0, match.index).split("\n").length, notes: notesOf(comments) }
  })
  const prose = source.replace(fence, "")
  return { path, blocks, prose, headings: [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => anchorOf(title)) }
}

function notesOf(comments: string): ReadonlyMap<string, string> {
  const notes = [...comments.matchAll(/<!-- (.+?) -->/g)].flatMap(([, note = ""]) => note.split(", "))
  return new Map(notes.map((note) => [note.split(":")[0] ?? "", note.split(": ")[1] ?? ""]))
}

/** The anchor that GitHub gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
}
