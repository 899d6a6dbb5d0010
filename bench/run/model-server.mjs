// A Messages server on loopback that asks for one tool call a turn and then answers: the model of both programs.
import { createServer } from "node:http"

/** Serve runs of `turns` tool turns. `onRequest` hears of each request as it arrives, `onAnswer` when the last one is sent. */
export async function startModelServer() {
  let run = null
  const server = createServer((request, response) => {
    if (request.method === "HEAD") {
      response.writeHead(404).end()
      return
    }
    const chunks = []
    run.onRequest(performance.now())
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      const turn = run.bodies.push(body)
      const last = turn > run.turns
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(last ? finalAnswer() : toolTurn(run.toolIn(body), turn), () => {
        if (last) run.onAnswer(performance.now())
      })
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    expect(next) {
      run = { ...next, bodies: [] }
      return run
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

function toolTurn(name, turn) {
  const input = JSON.stringify({ message: `turn ${turn}` })
  return stream("tool_use", [
    [
      { type: "text", text: "" },
      { type: "text_delta", text: `Turn ${turn}: one more look.` },
    ],
    [
      { type: "tool_use", id: `toolu_${String(turn).padStart(6, "0")}`, name, input: {} },
      { type: "input_json_delta", partial_json: input },
    ],
  ])
}

function finalAnswer() {
  return stream("end_turn", [
    [
      { type: "text", text: "" },
      { type: "text_delta", text: "All looked at." },
    ],
  ])
}

function stream(stopReason, blocks) {
  const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const message = { id: "msg_bench", type: "message", role: "assistant", model: "claude-sonnet-5-5", content: [] }
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    ...blocks.flatMap(([block, delta], index) => [
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("")
}
