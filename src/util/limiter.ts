/** Runs a task when a place is free. */
export type Limiter = <Value>(task: () => Promise<Value>) => Promise<Value>

/** At most so many tasks at once; the others wait in order. */
export function createLimiter(places: number): Limiter {
  let free = places
  const waiting: (() => void)[] = []

  return async (task) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free -= 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
