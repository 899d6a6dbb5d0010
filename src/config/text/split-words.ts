/** The words of a command line with quotes and backslashes as a shell reads them, and nothing else a shell does. `null` when a quote stays open. */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: '"' | "'" | null = null
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index)
    if (character === quote) quote = null
    else if (character === "\\" && quote !== "'") word = (word ?? "") + line.charAt(++index)
    else if (quote === null && (character === '"' || character === "'")) {
      quote = character
      word ??= ""
    } else if (quote === null && /\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? "") + character
  }
  if (word !== null) words.push(word)
  return quote === null ? words : null
}
