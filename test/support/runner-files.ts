/** Read a file of outputs as GitHub's runner does on Linux: `NAME=VALUE`, or `NAME<<END` up to a line that is END; only \n ends a line. */
export function parseFileCommands(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = Object.create(null)
  let index = 0

  function readLine(): string | null {
    if (index >= text.length) return null
    const start = index
    const end = text.indexOf("\n", start)
    index = end < 0 ? text.length : end + 1
    return text.slice(start, end < 0 ? text.length : end)
  }

  for (let line = readLine(); line !== null; line = readLine()) {
    if (line === "") continue
    const equals = line.indexOf("=")
    const heredoc = line.indexOf("<<")
    if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
      const name = line.slice(0, heredoc)
      const delimiter = line.slice(heredoc + 2)
      if (name === "" || delimiter === "") throw new Error(`Invalid format '${line}'`)
      const start = index
      let end = index
      for (let next = readLine(); next !== delimiter; next = readLine()) {
        if (next === null) throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`)
        end = index - 1
      }
      found[name] = end > start ? text.slice(start, end) : ""
    } else if (equals > 0) found[line.slice(0, equals)] = line.slice(equals + 1)
    else throw new Error(`Invalid format '${line}'`)
  }
  return found
}
