import { join } from "node:path"
import { expect, it } from "vitest"
import { askByCommand } from "../../src/approvals/ask-command.ts"
import { scratchFolder } from "../support/scratch-folder.ts"

it.each([
  ["a yes", 'echo \'{"approve": true, "reason": "fine"}\'', { approved: true, reason: "fine" }],
  ["a no", "echo '{\"approve\": false}'", { approved: false, reason: null }],
  [
    "what was asked",
    'read -r line; echo "{\\"approve\\": true, \\"reason\\": $(echo "$line" | cut -c9-14)}"',
    { approved: true, reason: "Send" },
  ],
  ["no JSON", "echo yes", { approved: false, reason: "ask_command did not answer with JSON" }],
  ["nothing", "true", { approved: false, reason: "ask_command did not answer with JSON" }],
  [
    "a text for a truth",
    'echo \'{"approve": "true"}\'',
    { approved: false, reason: expect.stringContaining("did not answer {") },
  ],
  [
    "a yes and a failure",
    "echo '{\"approve\": true}'; exit 4",
    { approved: false, reason: "ask_command ended with exit code 4" },
  ],
  ["too much", "yes", { approved: false, reason: "ask_command was stopped" }],
  ["no end", "echo '{\"approve\": true}'; sleep 60", { approved: false, reason: "ask_command gave no answer in time" }],
])("a program that answers with %s", async (_, line, approval) => {
  const asked = { command: ["/bin/sh", "-c", line], env: { PATH: process.env.PATH ?? "" } }
  const timeoutMs = line.includes("sleep") ? 300 : 20_000
  const around = { cwd: await scratchFolder(), signal: new AbortController().signal }
  expect(await askByCommand({ ...asked, timeoutMs }, { tool: "Send" }, around)).toEqual(approval)
})

it("a program that cannot be started is a no", async () => {
  const cwd = await scratchFolder()
  const asked = { command: [join(cwd, "missing")], env: {}, timeoutMs: 1000 }
  const answer = await askByCommand(asked, {}, { cwd, signal: new AbortController().signal })
  expect(answer).toMatchObject({ approved: false, reason: expect.stringContaining("could not be started") })
})
