import { resolve } from "node:path"
import { stringify } from "smol-toml"
import { importFile } from "../config/exchange/import-file.ts"
import { configJsonSchema } from "../config/json-schema.ts"
import { type ConfigOptions, loadConfig } from "../config/load.ts"
import { renderEffectiveJson, renderEffectiveText } from "../config/render-effective.ts"
import type { Config } from "../contract/config.ts"
import { UserError } from "../contract/user-error.ts"
import { createPolicy } from "../permissions/policy.ts"
import { toJsonText } from "../report/json.ts"

/** What `agent-run config` is asked to do. */
export interface ConfigCommand {
  readonly action: "check" | "show" | "schema" | "import"
  readonly json: boolean
  /** The file to import; only for `import`. */
  readonly file: string | undefined
  readonly options: ConfigOptions
  /** Takes what belongs on stdout. */
  readonly write: (text: string) => void
  /** Takes a line for people. */
  readonly note: (line: string) => void
}

/** `agent-run config check|show|schema|import`: returns the exit code, throws a UserError for what is wrong. */
export async function runConfigCommand(command: ConfigCommand): Promise<number> {
  const { action, json, options, file, write, note } = command
  if ((file !== undefined) !== (action === "import")) {
    throw new UserError(
      "usage_error",
      action === "import" ? "config import needs a file" : `config ${action} takes no file`,
    )
  }
  switch (action) {
    case "schema":
      write(toJsonText(configJsonSchema()))
      return 0
    case "check": {
      const { config } = await loadConfig(options)
      createPolicy(config.permissions)
      write(json ? toJsonText({ ok: true, files: config.sources, warnings: config.warnings }) : renderCheck(config))
      return 0
    }
    case "show": {
      const { config, effective } = await loadConfig(options)
      const asJson = () => toJsonText(renderEffectiveJson(effective))
      write(json ? asJson() : renderEffectiveText(effective, config.disabledServers))
      return 0
    }
    case "import": {
      const { servers, warnings } = await importFile(resolve(options.cwd, file ?? ""), options.cwd)
      for (const { code, message } of warnings) note(`warning ${code}: ${message}`)
      write(json ? toJsonText({ mcp_servers: servers, warnings }) : stringify({ mcp_servers: servers }))
      return 0
    }
    default:
      return action satisfies never
  }
}

function renderCheck({ sources, warnings }: Config): string {
  const files =
    sources.length === 0 ? ["no configuration file: the defaults count"] : sources.map((file) => `ok  ${file}`)
  return [...files, ...warnings.map(({ message }) => `warning  ${message}`), ""].join("\n")
}
