import { configJsonSchema } from "../config/json-schema.ts"
import { type ConfigOptions, loadConfig } from "../config/load.ts"
import { renderEffectiveJson, renderEffectiveText } from "../config/render-effective.ts"
import type { Config } from "../contract/config.ts"
import { createPolicy } from "../permissions/policy.ts"

/** What `agent-run config` is asked to do. */
export interface ConfigCommand {
  readonly action: "check" | "show" | "schema"
  readonly json: boolean
  readonly options: ConfigOptions
  /** Takes what belongs on stdout. */
  readonly write: (text: string) => void
}

/** `agent-run config check|show|schema`: returns the exit code, throws a UserError for a configuration that is wrong. */
export async function runConfigCommand({ action, json, options, write }: ConfigCommand): Promise<number> {
  switch (action) {
    case "schema":
      write(formatJson(configJsonSchema()))
      return 0
    case "check": {
      const { config } = await loadConfig(options)
      createPolicy(config.permissions)
      write(json ? formatJson({ ok: true, files: config.sources, warnings: config.warnings }) : renderCheck(config))
      return 0
    }
    case "show": {
      const { config, effective } = await loadConfig(options)
      const asJson = () => formatJson(renderEffectiveJson(effective))
      write(json ? asJson() : renderEffectiveText(effective, config.disabledServers))
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

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
