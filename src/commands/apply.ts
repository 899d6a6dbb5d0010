import { toConfigRunOptions } from "./config-options.ts"
import type { applyOptions, OptionValues } from "./options.ts"
import { outputsOf, runWithOutput, toTimeoutMs } from "./run.ts"

type Values = OptionValues<typeof applyOptions>

/** `agent-run apply PLAN`: run the calls of a reviewed plan, without a model. */
export function applyCommand(plan: string, values: Values, host: NodeJS.Process): Promise<number> {
  const options = {
    ...toConfigRunOptions({ ...values, only: [], without: [], model: undefined, "fallback-model": [] }),
    ...outputsOf(values),
    timeoutMs: toTimeoutMs(values.timeout),
    apply: {
      plan,
      only: values.only.flatMap((ids) => ids.split(",")).map((id) => id.trim()),
      keepGoing: values["keep-going"] ?? false,
    },
  }
  return runWithOutput(options, values, host)
}
