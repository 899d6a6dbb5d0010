/** Asks a server again for what it offers, when it says that this has changed, but not too often. */
export interface Refresher {
  /** Something changed: ask soon. Any number of these is one question. */
  announce(): void
  /** Something changed while it was being asked for the first time: ask at once, because a turn waits for it. */
  announceEarly(): void
  /** Ask after a while in any case, without anyone waiting for it. */
  later(): void
  /** The question that is due or under way, if there is one. */
  pending(): Promise<void> | null
  stop(): void
}

/** How close together announcements are taken as one. */
const togetherMs = 20

/** A refresher that asks at most once in `everyMs`, counted from `start` to start. `ask` never throws. */
export function createRefresher(options: {
  readonly everyMs: number
  readonly ask: () => Promise<void>
  readonly now?: () => number
}): Refresher {
  const { everyMs, ask, now = () => performance.now() } = options
  let due: { readonly done: Promise<void>; readonly finish: () => void } | null = null
  let timer: NodeJS.Timeout | undefined
  let laterTimer: NodeJS.Timeout | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let stopped = false

  function announce(waitMs = togetherMs): void {
    if (stopped || due !== null) return
    let finish = () => {}
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    due = { done, finish }
    if (asking === null) schedule(waitMs)
  }

  function schedule(waitMs: number): void {
    timer = setTimeout(() => void answer(), Math.max(waitMs, lastAt + everyMs - now()))
  }

  async function answer(): Promise<void> {
    const answered = due
    due = null
    lastAt = now()
    asking = ask()
    await asking
    asking = null
    answered?.finish()
    if (due !== null && !stopped) schedule(togetherMs)
  }

  return {
    announce: () => announce(),
    announceEarly: () => announce(0),
    later() {
      clearTimeout(laterTimer)
      laterTimer = setTimeout(() => announce(), everyMs)
    },
    pending: () => due?.done ?? asking,
    stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(laterTimer)
      due?.finish()
      due = null
    },
  }
}
