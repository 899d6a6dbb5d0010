import { open } from "node:fs/promises"
import { UserError } from "../contract/user-error.ts"

/** Open a transcript to read it line by line. Throws a UserError when it cannot be read. */
export async function openTranscript(path: string) {
  try {
    return await open(path)
  } catch (cause) {
    throw new UserError("usage_error", `cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      where: path,
      cause,
    })
  }
}
