const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** A name that starts so reads, whatever follows, unless something after it writes. */
const readingVerbs = words("get list read search find describe show view inspect lookup count")

/** A name that is nothing but this reads, with a subject before it: git_log, directory_tree, git_diff_staged. */
const readingNouns = words("status diff log tree info stat stats history version blame reflog")

/** What may stand before a verb or around a noun without changing what the name means. */
const subjects = words(
  "git file files directory folder repo repository branch commit working staged unstaged server system disk project",
)

/** These write wherever they stand. */
const writingVerbs = words(`
  create add new make write edit update upsert modify change set put patch send emit append insert replace delete remove drop
  clear clean purge destroy erase wipe truncate prune kill terminate restart reset revert restore rollback exec execute eval
  evaluate invoke apply perform move rename upload install uninstall enable disable publish deploy submit save store register
  assign approve reject grant revoke rotate generate toggle trigger schedule cancel subscribe unsubscribe attach detach
  transfer pay buy reply invite ban mark fill click press drag navigate bump pop push stash rebase cherry squash ack acknowledge
  consume claim dequeue increment decrement and or then
`)

/**
 * Does the name of a server's tool say that it only reads? Conservative: a read verb must lead, after the name of the server
 * or a subject at most, and no word may write.
 */
export function soundsReadOnly(name: string, server: string): boolean {
  const parts = wordsOf(name)
  const around = new Set([...subjects, ...wordsOf(server)])
  const start = parts.findIndex((part) => !around.has(part))
  const [first, ...rest] = start === -1 ? [] : parts.slice(start)
  if (first === undefined || parts.some((part) => writingVerbs.has(part))) return false
  if (readingVerbs.has(first)) return true
  const isPlain = first === "status" || first === "diff" || first === "version"
  return readingNouns.has(first) && rest.every((part) => around.has(part)) && (start > 0 || isPlain)
}

/** `getPullRequest`, `get_pull-request` and `get.pull.request` have the same words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
}
