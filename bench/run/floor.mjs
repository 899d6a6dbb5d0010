// The floor: the same loop by hand, in the fewest lines, on the same two SDKs. What agent-run costs is measured against it.
import Anthropic from "@anthropic-ai/sdk"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

void floor()

async function floor() {
  const [task, command, ...args] = process.argv.slice(2)
  const mcp = new Client({ name: "floor", version: "1" })
  await mcp.connect(new StdioClientTransport({ command, args, stderr: "ignore" }))
  const { tools: offered } = await mcp.listTools()
  const tools = offered.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  const model = new Anthropic()
  const messages = [{ role: "user", content: task }]
  for (;;) {
    const stream = model.messages.stream({ model: "claude-sonnet-5-5", max_tokens: 16384, tools, messages })
    const { content, stop_reason } = await stream.finalMessage()
    messages.push({ role: "assistant", content })
    if (stop_reason !== "tool_use") {
      console.log(content.map(({ text = "" }) => text).join(""))
      break
    }
    const results = content
      .filter(({ type }) => type === "tool_use")
      .map(async ({ id, name, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: (await mcp.callTool({ name, arguments: input })).content,
      }))
    messages.push({ role: "user", content: await Promise.all(results) })
  }
  await mcp.close()
}
