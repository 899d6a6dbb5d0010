import { isJsonObject, type JsonObject, type JsonSchema } from "../contract/json.ts"
import type { ToolHints } from "../contract/tool.ts"
import { startDeadline } from "./deadline.ts"
import type { Failure } from "./failure.ts"
import { isDeeperThan } from "./nesting.ts"
import type { Session } from "./session.ts"

/** A tool as its server describes it. */
export interface ServerTool {
  readonly name: string
  readonly description: string | null
  readonly inputSchema: JsonSchema
  readonly hints: ToolHints
  /** Does the tool run only as a task: started, asked after, fetched? */
  readonly needsTask: boolean
}

/** A resource, or a template of resources, as its server describes it; `uri` is the template's pattern then. */
export interface ServerResource {
  readonly uri: string
  readonly details: JsonObject
}

/** Everything a server offers. */
export interface Catalog {
  readonly tools: readonly ServerTool[]
  /** The entries of tools/list as they came, also those that are not usable. */
  readonly listedTools: readonly unknown[]
  readonly resources: readonly ServerResource[]
  readonly templates: readonly ServerResource[]
  readonly prompts: readonly JsonObject[]
}

/** What a server offers before it was asked. */
export const emptyCatalog: Catalog = { tools: [], listedTools: [], resources: [], templates: [], prompts: [] }

interface DiscoverOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly warn: (message: string) => void
}

/** Ask a server for all it says it has. Only tools that cannot be listed are a failure; the rest is a warning. */
export async function discover(
  session: Session,
  options: DiscoverOptions,
): Promise<{ readonly ok: true; readonly catalog: Catalog } | { readonly ok: false; readonly failure: Failure }> {
  const { capabilities } = session
  const deadline = startDeadline(options.timeoutMs, options.signal)
  const list = (capability: string, method: string, key: string) =>
    capability in capabilities ? listAll(session, { method, key }, { ...options, signal: deadline.signal }) : nothing
  try {
    const [tools, resources, templates, prompts] = await Promise.all([
      list("tools", "tools/list", "tools"),
      list("resources", "resources/list", "resources"),
      list("resources", "resources/templates/list", "resourceTemplates"),
      list("prompts", "prompts/list", "prompts"),
    ])
    if (tools.failure !== null) {
      return { ok: false, failure: deadline.expired() ? { ...tools.failure, kind: "timeout" } : tools.failure }
    }
    for (const { failure, method } of [resources, templates, prompts]) {
      if (failure !== null && !isMethodNotFound(failure)) options.warn(`${method} failed: ${failure.message}`)
    }
    const catalog: Catalog = {
      tools: readTools(tools.items, options.warn),
      listedTools: tools.items,
      resources: readResources(resources.items, "uri"),
      templates: readResources(templates.items, "uriTemplate"),
      prompts: prompts.items.filter(isJsonObject),
    }
    return { ok: true, catalog }
  } finally {
    deadline.stop()
  }
}

interface Listing {
  readonly method: string
  readonly items: readonly unknown[]
  readonly failure: Failure | null
}

const nothing: Listing = { method: "", items: [], failure: null }
const maxPages = 500
const maxItems = 10_000

async function listAll(
  session: Session,
  what: { readonly method: string; readonly key: string },
  options: DiscoverOptions,
): Promise<Listing> {
  const { method, key } = what
  const items: unknown[] = []
  const seen = new Set<string>()
  const limits = { timeoutMs: options.timeoutMs, totalMs: options.timeoutMs, signal: options.signal }
  for (let cursor: string | null = null; ; ) {
    const answer = await session.request(method, cursor === null ? {} : { cursor }, limits)
    if (!answer.ok) return { method, items, failure: answer.failure }
    const page = isJsonObject(answer.result) ? answer.result : {}
    const entries: readonly unknown[] = Array.isArray(page[key]) ? page[key] : []
    for (const entry of entries) items.push(entry)
    const next = page.nextCursor
    if (typeof next !== "string" || next === "") return { method, items, failure: null }
    const stop = reasonToStop(next, seen, items.length)
    if (stop !== null) {
      options.warn(`${method} ${stop}; the ${items.length} entries so far are used`)
      return { method, items, failure: null }
    }
    seen.add(next)
    cursor = next
  }
}

function reasonToStop(next: string, seen: ReadonlySet<string>, count: number): string | null {
  if (seen.has(next)) return "repeats a cursor"
  if (seen.size + 1 >= maxPages) return `has more than ${maxPages} pages`
  return count >= maxItems ? `has more than ${maxItems} entries` : null
}

const methodNotFound = -32601

function isMethodNotFound(failure: Failure): boolean {
  return failure.kind === "protocol" && failure.code === methodNotFound
}

function readTools(items: readonly unknown[], warn: (message: string) => void): readonly ServerTool[] {
  const tools = new Map<string, ServerTool>()
  for (const item of items) {
    const tool = readTool(item)
    if (typeof tool === "string") warn(`${tool}; the tool is left out`)
    else if (tools.has(tool.name)) warn(`tool "${tool.name}" is listed twice; the first is used`)
    else tools.set(tool.name, tool)
  }
  return [...tools.values()]
}

const maxSchemaDepth = 100

/** A tool, or what is wrong with it. */
function readTool(item: unknown): ServerTool | string {
  if (!isJsonObject(item)) return "an entry of tools/list is not an object"
  const { name, description, inputSchema, annotations, execution } = item
  if (typeof name !== "string" || name === "") return "an entry of tools/list has no name"
  const schema = readSchema(inputSchema)
  if (schema === null) return `tool "${name}" has an inputSchema that does not describe an object`
  if (isDeeperThan(schema, maxSchemaDepth)) return `tool "${name}" has an inputSchema that is nested too deeply`
  const text = typeof description === "string" && description.trim() !== "" ? description : null
  const needsTask = isJsonObject(execution) && execution.taskSupport === "required"
  return { name, description: text, inputSchema: schema, hints: readHints(annotations), needsTask }
}

function readSchema(schema: unknown): JsonSchema | null {
  if (schema === undefined || schema === null) return { type: "object", properties: {} }
  if (!isJsonObject(schema)) return null
  if (Object.keys(schema).length === 0) return { type: "object", properties: {} }
  return schema.type === "object" ? schema : null
}

function readHints(annotations: unknown): ToolHints {
  const said = isJsonObject(annotations) ? annotations : {}
  return {
    readOnly: said.readOnlyHint === true,
    destructive: said.destructiveHint === true,
    idempotent: said.idempotentHint === true,
    ...(said.readOnlyHint === false ? { writes: true } : {}),
  }
}

function readResources(items: readonly unknown[], key: "uri" | "uriTemplate"): readonly ServerResource[] {
  const resources = new Map<string, ServerResource>()
  for (const item of items) {
    if (!isJsonObject(item)) continue
    const uri = item[key]
    if (typeof uri === "string" && uri !== "" && !resources.has(uri)) resources.set(uri, { uri, details: item })
  }
  return [...resources.values()]
}
