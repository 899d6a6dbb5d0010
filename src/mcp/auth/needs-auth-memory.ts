import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { isJsonObject } from "../../contract/json.ts"
import type { RemoteServerConfig, ServerConfig } from "../../contract/server.ts"
import { writeFileAtomic } from "../../util/atomic-file.ts"

/** Remembers across runs which servers let nobody in, so that they are not asked again and again. */
export interface NeedsAuthMemory {
  /** Since when the server is known to need authentication with these credentials; `null` when it may be asked. */
  since(config: RemoteServerConfig): Promise<Date | null>
  remember(config: ServerConfig): Promise<void>
  forget(config: RemoteServerConfig): Promise<void>
}

/** The file: nothing in it says which servers there are or what their credentials were. */
interface Contents {
  readonly salt: string
  /** Digest of URL and credentials → when it was found out, in milliseconds. */
  readonly entries: Readonly<Record<string, number>>
}

const rememberedMs = 15 * 60 * 1000
const lockPatienceMs = 5000
const staleLockMs = 3000
const lockPollMs = 5

/** The memory in a folder. A memory that cannot be read or written is an empty one: it only saves time. */
export function createNeedsAuthMemory(options: {
  readonly folder: string
  readonly now: () => number
  /** Do not believe what is remembered; still remember what is found out. */
  readonly refresh: boolean
}): NeedsAuthMemory {
  const path = join(options.folder, "needs-auth.json")
  let queue: Promise<unknown> = Promise.resolve()

  async function change(config: RemoteServerConfig, isNeeded: boolean): Promise<void> {
    try {
      await mkdir(options.folder, { recursive: true, mode: 0o700 })
      await withLock(`${path}.lock`, async () => {
        const { salt, entries } = await read()
        const key = digestOf(config, salt)
        const kept = Object.entries(entries).filter(([name, at]) => name !== key && isFresh(at))
        const next = { salt, entries: Object.fromEntries(isNeeded ? [...kept, [key, options.now()]] : kept) }
        await writeFileAtomic(path, `${JSON.stringify(next)}\n`)
      })
    } catch {
      // A full or read-only disk costs the next run one request.
    }
  }

  async function read(): Promise<Contents> {
    try {
      const contents: unknown = JSON.parse(await readFile(path, "utf8"))
      if (isJsonObject(contents) && typeof contents.salt === "string" && isJsonObject(contents.entries)) {
        const entries = Object.entries(contents.entries).filter((entry): entry is [string, number] =>
          Number.isFinite(entry[1]),
        )
        return { salt: contents.salt, entries: Object.fromEntries(entries) }
      }
    } catch {
      // There is none yet, or not one of ours.
    }
    return { salt: randomBytes(16).toString("hex"), entries: {} }
  }

  function isFresh(at: number): boolean {
    const age = options.now() - at
    return age >= 0 && age < rememberedMs
  }

  /** One change after the other; other processes wait at the lock. */
  function inTurn(config: RemoteServerConfig, isNeeded: boolean): Promise<void> {
    const turn = queue.then(() => change(config, isNeeded))
    queue = turn
    return turn
  }

  return {
    async since(config) {
      if (options.refresh) return null
      const { salt, entries } = await read()
      const at = entries[digestOf(config, salt)]
      return at !== undefined && isFresh(at) ? new Date(at) : null
    },
    async remember(config) {
      if ("url" in config) await inTurn(config, true)
    },
    async forget(config) {
      const { salt, entries } = await read()
      if (Object.hasOwn(entries, digestOf(config, salt))) await inTurn(config, false)
    },
  }
}

/** Other credentials are another question, so they are part of the key; the salt keeps them from being guessed. */
function digestOf({ url, headers, auth }: RemoteServerConfig, salt: string): string {
  return createHash("sha256")
    .update(JSON.stringify([salt, url, headers, auth]))
    .digest("hex")
}

/** A lock that any process can take; one whose owner died is taken over. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + lockPatienceMs
  for (;;) {
    const handle = await open(path, "wx", 0o600).catch(() => null)
    if (handle !== null) {
      try {
        await work()
      } finally {
        await handle.close()
        await rm(path, { force: true })
      }
      return
    }
    if (performance.now() > deadline) throw new Error(`${path} stays locked`)
    await dropIfStale(path)
    await sleep(lockPollMs)
  }
}

async function dropIfStale(path: string): Promise<void> {
  const status = await stat(path).catch(() => null)
  if (status !== null && Date.now() - status.mtimeMs > staleLockMs) await rm(path, { force: true })
}
