import picomatch from "picomatch"

/** Does any of these globs match a name? `bash` lets a star match slashes too: names of tools are no paths. */
export function compileNameGlobs(globs: readonly string[]): (name: string) => boolean {
  return globs.length === 0 ? () => false : picomatch([...globs], { dot: true, nonegate: true, bash: true })
}
