import { toConfigRunOptions } from "./config-options.ts"
import type { applyOptions, OptionValues } from "./options.ts"
import { outputsOf, toTimeoutMs } from "./run.ts"
import { runWithOutput } from "./run-with-output.ts"
import { listenForStop } from "./stop-signals.ts"

type Values = OptionValues<typeof applyOptions>

/** `agent-run apply PLAN`: run the calls of a reviewed plan, without a model. */
export async function applyCommand(plan: string, values: Values, host: NodeJS.Process): Promise<number> {
  using stop = listenForStop(host)
  const options = {
    ...toConfigRunOptions({ ...values, only: [], without: [], model: undefined, "fallback-model": [] }),
    ...outputsOf(values),
    timeoutMs: toTimeoutMs(values.timeout),
    signal: stop.signal,
    apply: {
      plan,
      only: values.only.flatMap((ids) => ids.split(",")).map((id) => id.trim()),
      keepGoing: values["keep-going"] ?? false,
    },
  }
  return await runWithOutput({ options, values, headStart: null }, host)
}
