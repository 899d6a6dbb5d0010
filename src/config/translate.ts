import { resolve } from "node:path"
import type {
  AgentSettings,
  CustomToolSettings,
  ExpectSettings,
  McpSettings,
  PermissionSettings,
  ToolSettings,
} from "../contract/config.ts"
import type { Rule } from "../contract/decision.ts"
import { childEnvironment, gitSafety } from "../util/child-environment.ts"
import type { MergedConfig } from "./merge.ts"
import type { Prompts } from "./read-prompts.ts"
import type { ConfigValues } from "./schema.ts"
import { toMs } from "./schema-values.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** `[agent]` in the terms of the code. */
export function toAgentSettings({ agent }: ConfigValues, prompts: Prompts): AgentSettings {
  return {
    model: agent.model,
    fallbackModels: agent.fallback_models,
    systemPrompt: prompts.systemPrompt,
    instructions: prompts.instructions,
    maxTurns: agent.max_turns,
    timeoutMs: toMs(agent.timeout_sec),
    maxCostUsd: agent.max_cost_usd ?? null,
    maxTokens: agent.max_tokens ?? null,
    maxOutputTokens: agent.max_output_tokens,
    effort: agent.effort ?? null,
    prices: Object.fromEntries(
      Object.entries(agent.prices).map(([model, { input, output, cache_read, cache_write }]) => [
        model,
        { input, output, cacheRead: cache_read, cacheWrite: cache_write },
      ]),
    ),
  }
}

/** `[expect]` in the terms of the code. */
export function toExpectSettings({ expect }: ConfigValues): ExpectSettings {
  return {
    someCallSucceeds: expect.some_call_succeeds,
    toolsCalled: expect.tools_called,
    toolsNotCalled: expect.tools_not_called,
    filesChanged: expect.files_changed,
    filesUnchanged: expect.files_unchanged,
    answerMatches: expect.answer_matches ?? null,
    maxCostUsd: expect.max_cost_usd ?? null,
    maxTurns: expect.max_turns ?? null,
    maxDenied: expect.max_denied ?? null,
  }
}

/** `[mcp]` in the terms of the code. */
export function toMcpSettings({ values: { mcp }, settings }: MergedConfig): McpSettings {
  const deadLetters = settings.get("mcp.dead_letter_file")
  return {
    lazyLoading: mcp.lazy_loading,
    deferredTools: mcp.deferred_tools,
    summaryDescriptionLimit: mcp.summary_description_limit,
    maxToolsPerSearch: mcp.max_tools_per_search,
    alwaysLoadTools: mcp.always_load_tools,
    descriptionLimit: mcp.description_limit,
    localConcurrency: mcp.local_concurrency,
    remoteConcurrency: mcp.remote_concurrency,
    retry: { maxAttempts: mcp.retry.max_attempts, initialMs: mcp.retry.initial_ms, maxMs: mcp.retry.max_ms },
    deadLetterFile: deadLetters ? resolve(deadLetters.layer.folder, String(deadLetters.value)) : null,
  }
}

/** `[permissions]` in the terms of the code. */
export function toPermissionSettings(
  { values, settings }: MergedConfig,
  rules: readonly Rule[],
  env: Environment,
): PermissionSettings {
  const { permissions } = values
  const setting = settings.get("permissions.default")
  return {
    default: { action: permissions.default, source: setting?.layer.sourceOf(setting.path) ?? "built-in default" },
    onDenied: permissions.on_denied,
    maxDenials: permissions.max_denials ?? null,
    onAsk: toOnAsk(permissions, env),
    readOnly: permissions.read_only,
    rules,
  }
}

function toOnAsk(permissions: ConfigValues["permissions"], env: Environment): PermissionSettings["onAsk"] {
  if (permissions.on_ask !== "command") return { kind: permissions.on_ask }
  return {
    kind: "command",
    command: permissions.ask_command ?? [],
    timeoutMs: toMs(permissions.ask_timeout_sec),
    env: childEnvironment(env, { names: permissions.ask_env_vars, values: gitSafety }),
  }
}

/** `[tools]` in the terms of the code; commands see the safe base and what `bash.env_vars` names. */
export function toToolSettings(
  { tools }: ConfigValues,
  env: Environment,
  custom: readonly CustomToolSettings[],
): ToolSettings {
  return {
    builtin: tools.builtin,
    agent: tools.agent,
    bash: { timeoutMs: toMs(tools.bash.timeout_sec), env: childEnvironment(env, { names: tools.bash.env_vars }) },
    maxResultChars: tools.max_result_chars,
    custom,
  }
}
