import type { Session } from "../session.ts"

const charsShown = 200

/** The last line on stderr, as the end of a sentence about a server that went away. */
export function lastWords(stderrTail: string | null): string {
  const line = stderrTail?.trimEnd().split("\n").at(-1)?.trim()
  return line === undefined || line === "" ? "" : `; its last words: ${line.slice(0, charsShown)}`
}

/** Why a session ended, as far as its channel knows. */
export function whyEnded({ channel }: Session): string {
  return `${channel.whyClosed() ?? "closed the connection"}${lastWords(channel.stderrTail())}`
}
