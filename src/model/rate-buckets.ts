/** What is left of the limits of the API, as its last answer and what was sent since then say. */
export interface RateBuckets {
  learn(headers: Headers): void
  /** A request of so many bytes is sent. */
  take(bytes: number): void
  /** How long until there is room for one, in milliseconds; 0 when there is, or when nothing is known. */
  waitFor(bytes: number): number
}

interface Bucket {
  readonly limit: number | null
  readonly remaining: number
  /** When `remaining` was true. */
  readonly at: number
  /** When the bucket is full again. */
  readonly resetAt: number
  taken: number
}

/** Which limits there are, and how much of each a request takes. */
const kinds = ["requests", "tokens", "input-tokens"] as const

/** Fewer tokens than the API will count, images above all: a request is held back only when it would be refused. */
const bytesPerToken = 8
const mostTokens = 30_000

/** The buckets of one model, of which nothing is known yet. They fill steadily until their reset. */
export function createRateBuckets(now: () => number): RateBuckets {
  const buckets = new Map<string, Bucket>()

  function leftOf({ limit, remaining, at, resetAt, taken }: Bucket): number {
    if (now() >= resetAt) return Number.POSITIVE_INFINITY
    const refilled = limit === null ? 0 : ((limit - remaining) * (now() - at)) / (resetAt - at)
    return remaining + refilled - taken
  }

  function waitIn(bucket: Bucket, need: number): number {
    const { limit, remaining, at, resetAt } = bucket
    const lacking = need - leftOf(bucket)
    if (lacking <= 0) return 0
    const perMs = limit === null ? 0 : (limit - remaining) / (resetAt - at)
    const untilReset = resetAt - now()
    return Math.ceil(perMs > 0 ? Math.min(untilReset, lacking / perMs) : untilReset)
  }

  return {
    learn(headers) {
      for (const kind of kinds) {
        const remaining = numberOf(headers.get(`anthropic-ratelimit-${kind}-remaining`))
        const resetAt = Date.parse(headers.get(`anthropic-ratelimit-${kind}-reset`) ?? "")
        if (remaining === null || Number.isNaN(resetAt)) continue
        const limit = numberOf(headers.get(`anthropic-ratelimit-${kind}-limit`))
        buckets.set(kind, { limit, remaining, at: now(), resetAt, taken: 0 })
      }
    },
    take(bytes) {
      for (const [kind, bucket] of buckets) bucket.taken += needOf(kind, bytes)
    },
    waitFor(bytes) {
      return Math.max(0, ...[...buckets].map(([kind, bucket]) => waitIn(bucket, needOf(kind, bytes))))
    },
  }
}

function needOf(kind: string, bytes: number): number {
  return kind === "requests" ? 1 : Math.min(mostTokens, Math.ceil(bytes / bytesPerToken))
}

function numberOf(text: string | null): number | null {
  const number = text === null || text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(number) && number >= 0 ? number : null
}
