import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { eventsOf, type InProcessRun, runInProcess } from "../support/run-in-process.ts"

const fixturePath = fileURLToPath(new URL("../fixtures/servers/fixture-server.mjs", import.meta.url))
const server = `notes=${process.execPath} ${fixturePath} --prompts`

async function runPrompt(options: InProcessRun) {
  const { report, events } = await runInProcess({
    task: undefined,
    mcpServers: [server],
    turns: [{ text: "Done." }],
    ...options,
  })
  const [first] = eventsOf(events, "message")
  const [block] = first?.content ?? []
  return { report, start: eventsOf(events, "run.start")[0], text: block?.type === "text" ? block.text : null }
}

describe("a prompt of a server as the task", () => {
  it("S3.27 is filled in by the server: text, resources as text, images as a note, all in the transcript", async () => {
    const { report, start, text } = await runPrompt({
      prompt: "notes/review",
      promptArgs: ["path=src/a=b.ts", "style=strict"],
    })
    expect(report).toMatchObject({ exit_code: 0, answer: "Done." })
    expect(start?.task).toBe("prompt notes/review path=src/a=b.ts style=strict")
    expect(text).toBe(
      'Review src/a=b.ts in the style "strict".\n\n[resource note://rules, text/plain]\nBe kind.\n\n[image image/png, 70 bytes]',
    )
  })

  it("S3.27 that plays both sides says who says what", async () => {
    const { text } = await runPrompt({ prompt: "notes/talk" })
    expect(text).toBe("User: What is two and two?\n\nAssistant: Four.\n\nUser: Double it.")
  })

  it.each<[string, InProcessRun, number, string]>([
    ["no such prompt", { prompt: "notes/nothing" }, 2, "there are: notes/review, notes/talk, notes/empty"],
    ["no such server", { prompt: "nowhere/review" }, 2, "there are: notes/review"],
    [
      "a missing argument",
      { prompt: "notes/review" },
      2,
      "needs --arg path=… (The file). It takes: path, style (optional)",
    ],
    ["an unknown argument", { prompt: "notes/talk", promptArgs: ["x=1"] }, 2, 'has no argument "x". It takes: none'],
    ["no pair", { prompt: "notes/talk", promptArgs: ["x"] }, 2, "--arg x: needs NAME=VALUE"],
    ["a pair twice", { prompt: "notes/talk", promptArgs: ["x=1", "x=2"] }, 2, "--arg x: was given twice"],
    ["a prompt without text", { prompt: "notes/empty" }, 2, "the task is empty"],
    ["two sources", { prompt: "notes/talk", task: "do it" }, 2, "2 tasks: --task and --prompt were given"],
    ["arguments without a prompt", { task: "do it", promptArgs: ["x=1"] }, 2, "--arg is for --prompt"],
    [
      "a server that is down",
      { prompt: "gone/x", mcpServers: ["gone=no-such-program-anywhere"] },
      5,
      '--prompt gone/x: MCP server "gone": ',
    ],
  ])("S3.27 %s is refused without a model request", async (_, options, code, said) => {
    const { report, text } = await runPrompt(options)
    expect([report.exit_code, report.turns, text]).toEqual([code, 0, null])
    expect(report.reason?.message).toContain(said)
  })
})
