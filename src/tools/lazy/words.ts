/** The words of a text as they are searched: snake, camel and kebab names taken apart, lower case, reduced to stems. */
export function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map(stemOf)
}

/** The words of a text in lower case; `createPullRequest`, `create_pull_request` and "create pull request" have the same. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replace(/(\p{Ll}|\d)(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1$2 ")
  return spaced.toLowerCase().match(/\p{L}+|\d+/gu) ?? []
}

/**
 * A light stem: endings of number, tense and of nouns made from verbs go, so that "issues", "deleting" and "deletion"
 * meet "issue" and "delete". It need not be a word, only the same for words that belong together.
 */
export function stemOf(word: string): string {
  if (word.length <= 3) return word
  const { length } = word
  if (length > 4 && (word.endsWith("ies") || word.endsWith("ied"))) return `${word.slice(0, -3)}y`
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  if (/[^su]s$/.test(word)) return stemOf(word.slice(0, -1))
  if (length > 5 && word.endsWith("ing")) return undouble(word.slice(0, -3))
  if (length > 4 && word.endsWith("ed")) return undouble(word.slice(0, -2))
  if (length > 5 && word.endsWith("ion")) return undouble(word.slice(0, -3))
  return word.endsWith("e") ? word.slice(0, -1) : word
}

/** "stopp" was "stop"; "install" and "process" keep what they have. */
function undouble(stem: string): string {
  if (/([bdgmnprt])\1$/.test(stem)) return stem.slice(0, -1)
  return stem.endsWith("e") ? stem.slice(0, -1) : stem
}
