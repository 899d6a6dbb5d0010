import type { ToolSettings } from "../contract/config.ts"
import type { Tool } from "../contract/tool.ts"
import { createBashTool } from "./builtin/bash.ts"
import { createEditTool } from "./builtin/edit.ts"
import { createGlobTool } from "./builtin/glob.ts"
import { createGrepTool } from "./builtin/grep.ts"
import { createReadTool } from "./builtin/read.ts"
import { createWriteTool } from "./builtin/write.ts"
import type { LeavesOut } from "./left-out.ts"
import { createRipgrep } from "./ripgrep.ts"
import type { Sandbox } from "./sandbox.ts"
import type { Workspace } from "./workspace.ts"

/** The built-in tools that the settings name, always in the same order. */
export function createBuiltinTools(options: {
  readonly workspace: Workspace
  readonly settings: ToolSettings
  /** The PATH on which `rg` is looked for. */
  readonly path: string
  readonly leavesOut: LeavesOut
  /** Where commands of Bash run; `null` is among all other processes. */
  readonly sandbox: Sandbox | null
}): readonly Tool[] {
  const { workspace, settings, leavesOut, sandbox } = options
  const { maxResultChars } = settings
  const ripgrep = createRipgrep(options)
  return [
    createReadTool({ workspace, maxResultChars }),
    createWriteTool(workspace),
    createEditTool(workspace),
    createGlobTool({ workspace, ripgrep, leavesOut }),
    createGrepTool({ workspace, ripgrep, maxResultChars, leavesOut }),
    createBashTool({ workspace, settings, sandbox }),
  ].filter((tool) => settings.builtin.includes(tool.name))
}
