import { resolve } from "node:path"
import type { MergedConfig, Setting } from "./merge.ts"
import { formatPath, type Problem } from "./problem.ts"
import type { ReadGoverning } from "./trust/trust.ts"

const maxPromptBytes = 256 * 1024

/** The texts that become the system prompt. */
export interface Prompts {
  readonly systemPrompt: string | null
  readonly instructions: string | null
  readonly problems: readonly Problem[]
}

/** Read the prompt files that count, each relative to the file that names it. */
export async function readPrompts({ values, settings }: MergedConfig, read: ReadGoverning): Promise<Prompts> {
  const problems: Problem[] = []
  const around = { read, problems }
  const systemPromptFile = await readFileOf(settings.get("agent.system_prompt_file"), around)
  const instructions = await readFileOf(settings.get("agent.instructions_file"), around)
  return { systemPrompt: systemPromptFile ?? values.agent.system_prompt ?? null, instructions, problems }
}

async function readFileOf(
  setting: Setting | undefined,
  { read, problems }: { readonly read: ReadGoverning; readonly problems: Problem[] },
): Promise<string | null> {
  if (setting === undefined) return null
  const { path, layer } = setting
  const file = resolve(layer.folder, String(setting.value))
  const content = await read(file, maxPromptBytes)
  if (content.kind === "text") return content.text
  const why = content.kind === "missing" ? "does not exist" : content.why
  problems.push({ code: "config_error", where: layer.placeOf(path), message: `${formatPath(path)}: ${file} ${why}` })
  return null
}
