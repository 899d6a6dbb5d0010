import { toVisibleText } from "../util/visible-text.ts"
import { toWellFormed } from "../util/well-formed.ts"

/** Characters that show nothing but can spell words or reorder them: zero-width, bidi, fillers, variation selectors, tags. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu

/** As HTML reads a comment, also one that never ends. */
const comments = /<!--(?:-?>|[\s\S]*?(?:--!?>|$))/g

/**
 * Take out of a text what a person who looks at it does not see. What is left can still lie: this is no boundary.
 * Comments leave a mark: without it the text around one could become another, and doing it twice must change nothing.
 */
export function sanitise(text: string): string {
  return toVisibleText(toWellFormed(text)).replaceAll(invisible, "").replaceAll(comments, "[comment removed]")
}
