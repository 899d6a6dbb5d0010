// agent-run inside your own program: a tool that only this program has, a listener for events, and the report as the
// result. The model is a script, so this runs without a key; leave `model` out and set ANTHROPIC_API_KEY for a real one.
// Run it after a build:  node examples/embed/embed.mjs
import { createScriptModel, defineTool, run } from "agent-run"

const tickets = { "SHOP-7": "Total is off by one cent", "SHOP-9": "Slow search" }

const readTicket = defineTool({
  name: "read_ticket",
  description: "Read the title of a ticket.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string", pattern: "^SHOP-[0-9]+$" } },
    required: ["id"],
  },
  readOnly: true,
  async execute({ id }) {
    const title = tickets[id]
    if (title === undefined) throw new Error(`There is no ticket ${id}.`)
    return title
  },
})

const model = createScriptModel({
  turns: [
    { calls: [{ tool: "read_ticket", input: { id: "SHOP-7" } }] },
    { text: "SHOP-7 is about rounding.", expect: { last_result_contains: "off by one cent" } },
  ],
})

const report = await run({
  task: "What is SHOP-7 about?",
  bare: true, // no configuration files: this program decides everything
  model,
  tools: [readTicket],
  allow: ["read_ticket"], // the tools of the program are under the same rules as all others
  onEvent(event) {
    if (event.type === "tool.result") console.error(`${event.tool}: ${event.state}`)
  },
})

console.log(`${report.status}: ${report.answer}`)
process.exitCode = report.exit_code
