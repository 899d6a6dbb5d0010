import { expect, it } from "vitest"
import type { ServerTool } from "../../src/mcp/discover.ts"
import { selectTools } from "../../src/mcp/select-tools.ts"

const hints = { readOnly: false, destructive: false, idempotent: false }
const tools = ["read_file", "write_file", "fs/stat", ".dot", "!bang"].map(
  (name): ServerTool => ({ name, description: null, inputSchema: { type: "object" }, needsTask: false, hints }),
)

it.each([
  [["*"], [], ["read_file", "write_file", "fs/stat", ".dot", "!bang"]],
  [["*_file"], [], ["read_file", "write_file"]],
  [["*"], ["write_*", "fs/*"], ["read_file", ".dot", "!bang"]],
  [["*_file"], ["*_file"], []],
  [[], [], []],
  [["!bang"], [], ["!bang"]],
])("enabled_tools %j and disabled_tools %j offer %j", (enabledTools, disabledTools, names) => {
  const { offered, hidden } = selectTools(tools, { enabledTools, disabledTools })
  expect(offered.map(({ name }) => name)).toEqual(names)
  expect(hidden).toHaveLength(tools.length - names.length)
})
