import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const path = fileURLToPath(new URL("../fixtures/hooks/answering-hook.mjs", import.meta.url))

/** The answering hook as `[[hooks.…]]`; what it can be ordered is described at its top. */
export function hook(folder: string, orders: object = {}, keys: object = {}): object {
  return { command: [process.execPath, path, join(folder, "told.jsonl"), JSON.stringify(orders)], ...keys }
}

/** What the hooks of a folder were told, in order. */
export function toldIn(folder: string): readonly Record<string, unknown>[] {
  const file = join(folder, "told.jsonl")
  if (!existsSync(file)) return []
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}
