import type { RunEvent } from "../../contract/event.ts"

/** The events that a page is made of, and how many there were beyond its bounds. */
export interface KeptEvents {
  readonly events: readonly RunEvent[]
  readonly leftOut: number
}

/** Something that keeps the first events of a run. */
export interface EventKeeper {
  write(event: RunEvent): void
  kept(): KeptEvents
}

/** Keep the first events of a run for its page, within bounds, so that a long run does not fill the memory. */
export function createEventKeeper(
  bounds: { readonly events: number; readonly chars: number } = usualBounds,
): EventKeeper {
  const events: RunEvent[] = []
  let chars = 0
  let leftOut = 0

  function write(event: RunEvent): void {
    const size = JSON.stringify(event).length
    if (leftOut > 0 || events.length >= bounds.events || chars + size > bounds.chars) {
      leftOut += 1
      return
    }
    chars += size
    events.push(event)
  }

  return { write, kept: () => ({ events, leftOut }) }
}

const usualBounds = { events: 20_000, chars: 20_000_000 }
