const hints = new WeakMap<Error, string | null>()

/** An error that means "nobody let us in": it makes a server needs-auth, not failed. */
export function createRefusal(message: string, hint: string | null = null, cause?: unknown): Error {
  const refusal = new Error(message, { cause })
  hints.set(refusal, hint)
  return refusal
}

/** The refusal behind an error, however the protocol client wrapped it. */
export function refusalOf(error: unknown): { readonly message: string; readonly hint: string | null } | null {
  let current = error
  for (let depth = 0; depth < 6 && current instanceof Error; depth += 1) {
    const hint = hints.get(current)
    if (hint !== undefined) return { message: current.message, hint }
    current = current.cause
  }
  return null
}
