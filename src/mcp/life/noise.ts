/** Counts the lines of a server that are no JSON-RPC, and shows the first few. */
export interface Noise {
  hear(line: string): void
  /** Say how many there were, if not all were shown. */
  conclude(): void
}

const linesShown = 3
const charsShown = 200

/** The noise of one server. */
export function createNoise(warn: (message: string) => void): Noise {
  let lines = 0
  return {
    hear(line) {
      lines += 1
      if (lines > linesShown) return
      warn(`wrote a line to stdout that is no JSON-RPC; it was ignored: ${line.slice(0, charsShown)}`)
    },
    conclude() {
      if (lines > linesShown) warn(`wrote ${lines} lines to stdout that are no JSON-RPC; all were ignored`)
    },
  }
}
