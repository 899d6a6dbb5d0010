import type { ServerConfig } from "../../contract/server.ts"
import { type Access, createAccess, type Secret } from "../auth/access.ts"
import { unlessAborted } from "../deadline.ts"
import { type Catalog, discover } from "../discover.ts"
import type { OpenOptions } from "../open-server.ts"
import type { RequestAnswer, ServerDesk } from "../requests/server-desk.ts"
import type { Session } from "../session.ts"
import { type Attempt, attemptConnection } from "./attempt.ts"

/** The servers that several runs of one process have in common: each is started once, and outlives the runs. */
export interface ServerShare extends AsyncDisposable {
  /** A session with a shared server for one run; whoever lost it asks again, and gets a new one. Never throws. */
  join(config: ServerConfig, run: OpenOptions): Promise<Attempt>
}

/** A server that runs, and who uses it. */
interface Live {
  readonly session: Session
  catalog: Catalog
  /** Has it said since that its lists are others now? */
  stale: boolean
  readonly members: Set<OpenOptions>
  /** Who was given this session before, by what each run has but once. */
  readonly served: WeakSet<ServerDesk>
  retired: boolean
}

/** One server of the share, over all its sessions. */
interface Place {
  live: Live | null
  opening: Promise<Attempt> | null
  readonly waiting: Set<OpenOptions>
  readonly secrets: Secret[]
  access: Access | null
}

/** A share without any server yet. */
export function createServerShare(): ServerShare {
  const places = new Map<string, Place>()
  const ended: Promise<void>[] = []
  const stop = new AbortController()

  async function join(config: ServerConfig, run: OpenOptions): Promise<Attempt> {
    const startedAt = performance.now()
    const place = placeOf(config)
    for (const secret of place.secrets) run.access.onSecret(secret)
    place.waiting.add(run)
    try {
      const { live } = place
      // Who comes back has found the session to be of no use.
      if (live !== null && (live.session.channel.whyClosed() !== null || live.served.has(run.desk))) retire(place, live)
      if (place.live === null) {
        place.opening ??= open(config, place, run).finally(() => {
          place.opening = null
        })
        const opened = await unlessAborted(place.opening, run.signal)
        if (!opened.ok) return opened
      }
      return await enter(place, { config, run, startedAt })
    } catch {
      return { ok: false, failure: { kind: "aborted", message: "the run was stopped" }, stderrTail: null }
    } finally {
      place.waiting.delete(run)
    }
  }

  async function enter(
    place: Place,
    {
      config,
      run,
      startedAt,
    }: { readonly config: ServerConfig; readonly run: OpenOptions; readonly startedAt: number },
  ): Promise<Attempt> {
    const { live } = place
    if (live === null) return { ok: false, failure: { kind: "closed", message: "ended at once" }, stderrTail: null }
    if (live.stale) await refresh(live, config, run)
    live.members.add(run)
    live.served.add(run.desk)
    const channel = { ...live.session.channel, dispose: async () => leave(live, run) }
    const connectMs = Math.round(performance.now() - startedAt)
    return { ok: true, session: { ...live.session, channel }, catalog: live.catalog, connectMs }
  }

  async function open(config: ServerConfig, place: Place, run: OpenOptions): Promise<Attempt> {
    const all = () => new Set([...place.waiting, ...(place.live?.members ?? [])])
    place.access ??= createAccess({
      ...(run.access.memory === null ? {} : { memory: run.access.memory }),
      onSecret(secret) {
        place.secrets.push(secret)
        for (const one of all()) one.access.onSecret(secret)
      },
    })
    const attempt = await attemptConnection(config, {
      identity: run.identity,
      env: run.env,
      access: place.access,
      desk: createSharedDesk(run.desk.capabilities, () => [...all()].map(({ desk }) => desk)),
      signal: stop.signal,
      processes: null,
      share: null,
      onNoise: (line) => all().forEach((one) => void one.onNoise(line)),
      warn: (message) => all().forEach((one) => void one.warn(message)),
      onClosed: () => all().forEach((one) => void one.onClosed()),
      onChanged() {
        if (place.live !== null) place.live.stale = true
        for (const one of all()) one.onChanged()
      },
    })
    if (attempt.ok) {
      const { session, catalog } = attempt
      place.live = { session, catalog, stale: false, members: new Set(), served: new WeakSet(), retired: false }
    }
    return attempt
  }

  function placeOf(config: ServerConfig): Place {
    const key = JSON.stringify(config)
    const place = places.get(key) ?? { live: null, opening: null, waiting: new Set(), secrets: [], access: null }
    places.set(key, place)
    return place
  }

  function leave(live: Live, run: OpenOptions): void {
    live.members.delete(run)
    if (live.retired && live.members.size === 0) ended.push(live.session.channel.dispose())
  }

  /** Nobody new gets it; those that still use it find out for themselves. */
  function retire(place: Place, live: Live): void {
    place.live = null
    live.retired = true
    if (live.members.size === 0) ended.push(live.session.channel.dispose())
  }

  return {
    join,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the batch is over"))
      const all = [...places.values()]
      await Promise.all(all.map(({ opening }) => opening))
      for (const { live } of all) if (live !== null) ended.push(live.session.channel.dispose())
      await Promise.all(ended)
    },
  }
}

async function refresh(live: Live, config: ServerConfig, run: OpenOptions): Promise<void> {
  live.stale = false
  const found = await discover(live.session, { ...run, timeoutMs: config.discoveryTimeoutMs })
  if (found.ok) live.catalog = found.catalog
  else live.stale = true
}

/** What a server asks, and says, goes to every run that uses it; they all answer by the same configuration. */
function createSharedDesk(capabilities: ServerDesk["capabilities"], desks: () => readonly ServerDesk[]): ServerDesk {
  return {
    capabilities,
    async answer(method, params, signal) {
      const answers = await Promise.all(desks().map((desk) => desk.answer(method, params, signal)))
      return answers[0] ?? nobodyThere
    },
    log: (params) => desks().forEach((desk) => void desk.log(params)),
    close: () => [],
  }
}

const nobodyThere: RequestAnswer = { ok: false, code: -1, message: "no run uses this server now" }
