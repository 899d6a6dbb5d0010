import { textOf } from "./run-cli.ts"

/** The tools that a fixture server with `--calls-file` was really called for, in order. */
export function callsIn(path: string): readonly string[] {
  return recordsIn(path).map(({ call }) => String(call))
}

/** The argument `text` of the same calls. */
export function callInputsIn(path: string): readonly string[] {
  return recordsIn(path).map(({ input }) => String(input?.text))
}

function recordsIn(path: string): readonly { readonly call?: string; readonly input?: { readonly text?: string } }[] {
  return textOf(path)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .filter(({ call }) => call !== undefined)
}
