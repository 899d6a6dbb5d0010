/** How much of something may happen: bursts are fine, floods are not. */
export interface Allowance {
  /** May it happen once more? What may not is counted. */
  take(): boolean
  /** How often it might not. */
  refused(): number
}

/** An allowance that starts full, at `burst`, and refills by `perSecond` up to that; `clock` is in milliseconds. */
export function createAllowance(
  size: { readonly burst: number; readonly perSecond: number },
  clock: () => number = () => performance.now(),
): Allowance {
  let left = size.burst
  let filledAt = clock()
  let refused = 0
  return {
    take() {
      const now = clock()
      left = Math.min(size.burst, left + ((now - filledAt) / 1000) * size.perSecond)
      filledAt = now
      if (left < 1) {
        refused += 1
        return false
      }
      left -= 1
      return true
    },
    refused: () => refused,
  }
}
