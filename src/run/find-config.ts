import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import type { FlagOverrides } from "../config/flags.ts"
import type { ConfigOptions } from "../config/load.ts"
import type { Host, RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"

/** The real folder the agent works on. */
export function findWorkspace(options: RunOptions, host: Pick<Host, "cwd">): string {
  const path = resolve(host.cwd, options.workspace ?? ".")
  try {
    if (statSync(path).isDirectory()) return realpathSync(path)
  } catch (cause) {
    throw new UserError("usage_error", "the workspace does not exist", { where: `--workspace ${path}:`, cause })
  }
  throw new UserError("usage_error", "the workspace is not a folder", { where: `--workspace ${path}:` })
}

/** The options that stand for a configuration key. */
export function flagsOf(options: RunOptions): FlagOverrides {
  const { fallbackModels, maxTurns, maxCostUsd, maxTokens, timeoutMs, maxDenials } = options
  const { report, transcript, summary, junit, html, sarif, outDir } = options
  return {
    model: typeof options.model === "string" ? options.model : undefined,
    ...{ fallbackModels, maxTurns, maxCostUsd, maxTokens, timeoutMs, maxDenials },
    ...{ report, transcript, summary, junit, html, sarif, outDir },
  }
}

/** What decides the configuration of a run with these options. */
export function configOptionsOf(
  options: RunOptions,
  host: Pick<Host, "cwd" | "env">,
  workspace: string,
): ConfigOptions {
  return {
    workspace,
    cwd: host.cwd,
    env: host.env,
    configFiles: options.config ?? [],
    set: options.set ?? [],
    bare: options.bare ?? false,
    allow: options.allow ?? [],
    deny: options.deny ?? [],
    broad: options.broad ?? false,
    mcpServers: options.mcpServers ?? [],
    only: options.only ?? [],
    without: options.without ?? [],
    flags: flagsOf(options),
  }
}
