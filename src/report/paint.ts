const codes = { red: 31, green: 32, yellow: 33, dim: 2 } as const

/** Colour a text of ours. */
export type Paint = (color: keyof typeof codes, text: string) => string

/** Colours for a terminal, or none at all: a log file should not hold them. */
export function painter(enabled: boolean): Paint {
  if (!enabled) return (_color, text) => text
  return (color, text) => `\x1b[${codes[color]}m${text}\x1b[0m`
}
