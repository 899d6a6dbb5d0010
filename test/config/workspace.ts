import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { type ConfigOptions, type LoadedConfig, loadConfig } from "../../src/config/load.ts"
import { UserError } from "../../src/contract/user-error.ts"

/** A temporary workspace with these files, gone when the test ends. */
export function createWorkspace(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-run-config-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), contents)
  }
  return folder
}

/** Options for a workspace that nothing outside of it can influence. */
export function optionsFor(workspace: string, options: Partial<ConfigOptions> = {}): ConfigOptions {
  return {
    workspace,
    cwd: workspace,
    env: {},
    configFiles: [],
    set: [],
    bare: false,
    allow: [],
    deny: [],
    broad: false,
    mcpServers: [],
    only: [],
    without: [],
    flags: {},
    managedFile: join(workspace, "no-managed.toml"),
    ...options,
  }
}

/** Load the configuration of a new workspace with these files. */
export function load(
  files: Readonly<Record<string, string>>,
  options: Partial<ConfigOptions> = {},
): Promise<LoadedConfig> {
  return loadConfig(optionsFor(createWorkspace(files), options))
}

/** The UserError that a load ends with. */
export async function failure(loading: Promise<unknown>): Promise<UserError> {
  const error = await loading.then(
    () => new Error("the configuration was accepted"),
    (thrown: unknown) => thrown,
  )
  if (error instanceof UserError) return error
  throw error
}

/** The lines of the UserError that loading these files ends with. */
export async function problemsOf(
  files: Readonly<Record<string, string>>,
  options: Partial<ConfigOptions> = {},
): Promise<readonly string[]> {
  return (await failure(load(files, options))).message.split("\n")
}
