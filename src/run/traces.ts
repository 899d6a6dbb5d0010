import type { Host } from "../contract/run-options.ts"
import type { TraceSink } from "../sinks/otlp.ts"

/** The sink for traces, loaded only when the environment names an endpoint. */
export async function openTraces({ env }: Host): Promise<TraceSink | null> {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT && !env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return null
  const { createTraceSink } = await import("../sinks/otlp.ts")
  return createTraceSink(env)
}

/** Send what was kept, when every file is written: a collector that is slow or gone never costs more than a line. */
export async function sendTraces(traces: TraceSink | null, host: Host): Promise<void> {
  const problem = (await traces?.send()) ?? null
  if (problem !== null) host.log(`agent-run: traces were not sent: ${problem}`)
}
