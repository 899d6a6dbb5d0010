import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { JsonObject } from "../../src/contract/json.ts"
import { type Tool, textResult } from "../../src/contract/tool.ts"

interface Definitions {
  readonly server: string
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly inputSchema: JsonObject }[]
}

const folder = fileURLToPath(new URL("../../bench/context/", import.meta.url))

/** The file with what a real server says of its tools. */
export function definitionsOf(server: string): string {
  return `${folder}definitions/${server}.json`
}

/** The tools of real servers as the model is offered them; all servers unless some are named. */
export function realTools(...servers: readonly string[]): readonly Tool[] {
  const files = readdirSync(`${folder}definitions`).map((file) => file.replace(".json", ""))
  return files
    .filter((file) => servers.length === 0 || servers.includes(file))
    .flatMap((file) => toTools(JSON.parse(readFileSync(definitionsOf(file), "utf8"))))
}

/** The checked-in requests, each with the tools that answer it as `server/tool`. */
export function realRequests(): readonly { readonly query: string; readonly expected: readonly string[] }[] {
  return readFileSync(`${folder}requests.txt`, "utf8")
    .split("\n")
    .map((line) => line.split(" = "))
    .flatMap(([query = "", expected]) => (expected === undefined ? [] : [{ query, expected: expected.split(" ") }]))
}

function toTools({ server, tools }: Definitions): readonly Tool[] {
  return tools.map(({ name, description = "", inputSchema }) => ({
    name: `mcp__${server}__${name}`,
    description: description.slice(0, 2048),
    inputSchema,
    origin: { kind: "mcp", server, tool: name },
    hints: { readOnly: false, destructive: false, idempotent: false },
    subjects: () => [],
    execute: async () => textResult("done"),
  }))
}
