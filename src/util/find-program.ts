import { constants } from "node:fs"
import { access, realpath, stat } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { isInside } from "./inside-folder.ts"

/**
 * Where a program lies on a PATH, or null. Nothing inside `distrusted` is taken: npm puts `node_modules/.bin` of the
 * workspace on the PATH, and a pull request can put a program there.
 */
export async function findProgram(
  name: string,
  options: { readonly path: string; readonly distrusted: string },
): Promise<string | null> {
  for (const folder of options.path.split(":")) {
    if (!isAbsolute(folder)) continue
    const program = await realProgram(join(folder, name))
    if (program !== null && !isInside(options.distrusted, program)) return program
  }
  return null
}

async function realProgram(path: string): Promise<string | null> {
  try {
    const program = await realpath(path)
    await access(program, constants.X_OK)
    return (await stat(program)).isFile() ? program : null
  } catch {
    // Not there or not ours to run: the next folder of the PATH may have it.
    return null
  }
}
