import type { RunEventBody } from "../../src/contract/event.ts"
import type { Message, ModelAnswer, ModelRequest } from "../../src/contract/model.ts"
import { createAnthropicModel } from "../../src/model/anthropic.ts"
import type { ModelWaits } from "../../src/model/retry.ts"

type Options = Partial<Parameters<typeof createAnthropicModel>[0]>

/** Pauses of a millisecond, and timeouts that only a hanging test reaches. */
const quickWaits: Partial<ModelWaits> = { backoffMs: 1, maxBackoffMs: 4 }

/** A model against a test server, with quick pauses. */
export function modelFor(
  server: { readonly env: Readonly<Record<string, string>> },
  options: Options & { readonly waits?: Partial<ModelWaits> } = {},
) {
  return createAnthropicModel({
    model: "claude-sonnet-5-5",
    fallbackModels: [],
    effort: null,
    prices: {},
    baseUrl: null,
    env: server.env,
    log: () => {},
    ...options,
    waits: { ...quickWaits, ...options.waits },
  })
}

/** A request with one message. */
export const hello: ModelRequest = {
  system: "You are a test.",
  tools: [{ name: "Read", description: "Read a file", inputSchema: { type: "object", properties: {} } }],
  messages: [userText("Hello")],
  maxOutputTokens: 1000,
}

/** A message of the user with one text. */
export function userText(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] }
}

/** Ask once and keep the events. */
export async function ask(
  model: ReturnType<typeof createAnthropicModel>,
  request: ModelRequest = hello,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly answer: ModelAnswer; readonly events: readonly RunEventBody[] }> {
  const events: RunEventBody[] = []
  const answer = await model.ask(request, { signal, emit: (event) => events.push(event) })
  return { answer, events }
}

/** The text of a reply, or the code of a failure. */
export function gist(answer: ModelAnswer): string {
  if (answer.kind === "failure") return answer.code
  return answer.content.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")
}

/** What the retry events say. */
export function errorsOf(events: readonly RunEventBody[]): string[] {
  return events.flatMap((event) => (event.type === "retry" ? [event.error] : []))
}
