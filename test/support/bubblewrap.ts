import { findSandbox } from "../../src/tools/sandbox.ts"

const search = await findSandbox({ path: process.env.PATH ?? "", workspace: "/nonexistent", readOnly: [] })

/** The real sandbox of this machine, for tests; `null` where there is none that works. */
export const sandbox = search.kind === "found" ? search.sandbox : null

/** Behind the names of tests that need it: empty, or why they are skipped. */
export const missingSandbox =
  search.kind === "found"
    ? ""
    : ` (skipped: ${search.kind === "absent" ? "there is no bwrap" : `bwrap does not work here: ${search.why}`})`
