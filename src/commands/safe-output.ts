import { fstatSync } from "node:fs"
import { UserError } from "../contract/user-error.ts"
import { neutraliseCommands } from "../report/escape.ts"

/**
 * What others wrote, as stdout may carry it: a file gets it as it is; where a CI runner may read along, no line of it is a
 * command. Text is changed at the one character that matters; bytes are refused on a runner, since changing them breaks them.
 */
export function toSafeOutput(contents: string | Uint8Array, host: Pick<NodeJS.Process, "stdout" | "env">): Uint8Array {
  const bytes = typeof contents === "string" ? Buffer.from(contents) : contents
  if (isFile(host.stdout)) return bytes
  if (typeof contents === "string") return Buffer.from(neutraliseCommands(contents))
  if (host.env.GITHUB_ACTIONS !== "true" && host.env.TF_BUILD === undefined) return bytes
  const text = Buffer.from(contents).toString("latin1")
  if (neutraliseCommands(text) === text) return bytes
  throw new UserError("usage_error", "the bytes hold what the CI runner would take for a command", {
    hint: "Redirect stdout to a file, or use --json.",
  })
}

function isFile({ fd }: NodeJS.WriteStream & { readonly fd?: number }): boolean {
  try {
    return fstatSync(fd ?? -1).isFile()
  } catch {
    // A stream without a descriptor is no file.
    return false
  }
}
