import { UserError } from "../contract/user-error.ts"
import type { Connection } from "../mcp/connection.ts"
import type { Pool } from "../mcp/pool.ts"
import { fillPrompt, promptsOf, type ServerPrompt } from "../mcp/prompts.ts"

type Arguments = Readonly<Record<string, string>>

/** `--arg k=v`, by name. Throws a UserError for what is no pair, is given twice, or has no prompt to go to. */
export function readPromptArguments(prompt: string | undefined, pairs: readonly string[]): Arguments {
  if (prompt === undefined && pairs.length > 0) {
    throw new UserError("usage_error", "--arg is for --prompt, and none was given")
  }
  const given = new Map<string, string>()
  for (const pair of pairs) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) {
      throw new UserError("usage_error", "needs NAME=VALUE", { where: `--arg ${pair}:` })
    }
    if (given.has(name)) throw new UserError("usage_error", "was given twice", { where: `--arg ${name}:` })
    given.set(name, value)
  }
  return Object.fromEntries(given)
}

/** Have the server of a prompt fill it in. Throws a UserError that says what there is when it does not fit. */
export async function fetchPrompt(wanted: {
  readonly pool: Pool
  /** SERVER/NAME. */
  readonly prompt: string
  readonly given: Arguments
  readonly signal: AbortSignal
}): Promise<string> {
  const { pool, prompt, given, signal } = wanted
  const where = `--prompt ${prompt}:`
  const { connection, name, declared } = findPrompt(pool, prompt, where)
  checkArguments(declared, given, where)
  const filled = await fillPrompt(connection, { name, arguments: given }, signal)
  if (filled.ok) return filled.text
  const { content, errorCode } = filled.result
  const message = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  throw new UserError(errorCode === "protocol_error" ? "usage_error" : "required_server_unavailable", message, {
    where,
  })
}

interface FoundPrompt {
  readonly connection: Connection
  readonly name: string
  readonly declared: ServerPrompt["arguments"]
}

/** Names may hold slashes: what is wanted is compared with what there is, never taken apart. */
function findPrompt(pool: Pool, wanted: string, where: string): FoundPrompt {
  const connections = pool.connections()
  for (const connection of connections) {
    const found = promptsOf(connection).find(({ server, name }) => `${server}/${name}` === wanted)
    if (found !== undefined && connection.state().status === "connected") {
      return { connection, name: found.name, declared: found.arguments }
    }
  }
  const owner = pool.states().find(({ name }) => wanted.startsWith(`${name}/`))
  if (owner !== undefined && owner.state.status !== "connected") {
    const why = "error" in owner.state ? owner.state.error : `MCP server "${owner.name}" is ${owner.state.status}`
    throw new UserError("required_server_unavailable", why, { where })
  }
  const known = connections.flatMap(promptsOf).map(({ server, name }) => `${server}/${name}`)
  throw new UserError("usage_error", `there is no such prompt; there are: ${known.join(", ") || "none"}`, {
    where,
    hint: "agent-run mcp prompts lists them with their arguments.",
  })
}

function checkArguments(declared: ServerPrompt["arguments"], given: Arguments, where: string): void {
  const names = declared.map(({ name }) => name)
  const missing = declared.filter(({ name, required }) => required && !Object.hasOwn(given, name))
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const faults = [
    ...missing.map(
      ({ name, description }) => `needs --arg ${name}=…${description === null ? "" : ` (${description})`}`,
    ),
    ...unknown.map((name) => `has no argument "${name}"`),
  ]
  if (faults.length === 0) return
  const takes = declared.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(", ") || "none"
  throw new UserError("usage_error", `the prompt ${faults.join("; ")}. It takes: ${takes}`, { where })
}
