import { type Layer, optionLayer } from "./layer.ts"
import { tableWith } from "./values.ts"

/** What single options of the command line say; each beats the files, the managed one excepted. */
export interface FlagOverrides {
  readonly model?: string | undefined
  readonly fallbackModels?: readonly string[] | undefined
  readonly maxTurns?: number | undefined
  readonly maxCostUsd?: number | undefined
  readonly maxTokens?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly maxDenials?: number | undefined
  readonly report?: string | undefined
  readonly transcript?: string | undefined
  readonly summary?: string | undefined
  readonly junit?: string | undefined
  readonly html?: string | undefined
  readonly sarif?: string | undefined
  readonly outDir?: string | undefined
}

/** One layer for each option that was given. `--out-dir` comes last: the options for single files win over it. */
export function flagLayers(flags: FlagOverrides, cwd: string): readonly Layer[] {
  const { fallbackModels = [], timeoutMs } = flags
  const given: readonly [option: string, key: readonly string[], value: unknown][] = [
    ["--model", ["agent", "model"], flags.model],
    ["--fallback-model", ["agent", "fallback_models"], fallbackModels.length === 0 ? undefined : fallbackModels],
    ["--max-turns", ["agent", "max_turns"], flags.maxTurns],
    ["--max-cost-usd", ["agent", "max_cost_usd"], flags.maxCostUsd],
    ["--max-tokens", ["agent", "max_tokens"], flags.maxTokens],
    ["--timeout", ["agent", "timeout_sec"], timeoutMs === undefined ? undefined : timeoutMs / 1000],
    ["--max-denials", ["permissions", "max_denials"], flags.maxDenials],
    ["--report", ["output", "report"], flags.report],
    ["--transcript", ["output", "transcript"], flags.transcript],
    ["--summary", ["output", "summary"], flags.summary],
    ["--junit", ["output", "junit"], flags.junit],
    ["--html", ["output", "html"], flags.html],
    ["--sarif", ["output", "sarif"], flags.sarif],
    ["--out-dir", ["output", "out_dir"], flags.outDir],
  ]
  return given.flatMap(([source, key, value]) =>
    value === undefined ? [] : [optionLayer("command-line", { source, folder: cwd, values: tableWith(key, value) })],
  )
}
