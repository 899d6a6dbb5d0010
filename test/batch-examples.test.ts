import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { batchReportSchema } from "../src/contract/batch.ts"
import { scratchFolder, writeFiles } from "./support/scratch-folder.ts"

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "")
const execute = promisify(execFile)

interface Step {
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}
const workflow: {
  jobs: Readonly<Record<"shard" | "merge", { steps: Step[]; strategy: { matrix: { shard: number[] } } }>>
} = example("workflows/batch-over-a-matrix.yml")
const gitlab: Readonly<Record<"shard" | "merge", { script: string[]; parallel: number }>> =
  example("ci/gitlab-batch.yml")
const job: {
  kind: string
  spec: {
    completionMode: string
    completions: number
    parallelism: number
    template: { spec: { containers: { args: string[]; env: { name: string; value?: string }[] }[] } }
  }
} = example("kubernetes/batch-job.yaml")

const linesOf = (steps: readonly Step[]) => steps.flatMap(({ run }) => (run?.startsWith("agent-run ") ? [run] : []))

describe("the examples for batches", () => {
  it("GitHub: the shards of a matrix give one green report", async () => {
    const { shard, merge } = workflow.jobs
    expect(shard.steps.find(({ env }) => env)?.env).toMatchObject({
      AGENT_RUN_SHARD_INDEX: "${{ strategy.job-index }}",
      AGENT_RUN_SHARD_TOTAL: "${{ strategy.job-total }}",
    })
    const total = shard.strategy.matrix.shard.length
    const report = await runShards(linesOf(shard.steps), linesOf(merge.steps), {
      total,
      envOf: (index) => ({ AGENT_RUN_SHARD_INDEX: String(index), AGENT_RUN_SHARD_TOTAL: String(total) }),
      from: "shards",
    })
    expect(report).toMatchObject({ exit_code: 0, batch: { merged: total }, problems: [] })
  }, 60_000)

  it("GitLab: parallel jobs give one green report", async () => {
    const { shard, merge } = gitlab
    const report = await runShards(shard.script, merge.script, {
      total: shard.parallel,
      envOf: (index) => ({ CI_NODE_INDEX: String(index + 1), CI_NODE_TOTAL: String(shard.parallel) }),
      from: "out",
    })
    expect(report).toMatchObject({ exit_code: 0, batch: { merged: shard.parallel }, problems: [] })
  }, 60_000)

  it("Kubernetes: an Indexed Job whose pods know how many they are", () => {
    expect(job).toMatchObject({ kind: "Job", spec: { completionMode: "Indexed" } })
    const { completions, parallelism, template } = job.spec
    const [container] = template.spec.containers
    const total = container?.env.find(({ name }) => name === "AGENT_RUN_SHARD_TOTAL")?.value
    expect([parallelism, total]).toEqual([completions, String(completions)])
    expect(container?.args.join(" ")).toMatch(
      /agent-run batch \S+ --shard auto .*--max-cost-usd \d+ --timeout \S+ --out-dir/,
    )
  })
})

/** Run the lines of the jobs as their shells would, with a scripted model, and read what the last one wrote. */
async function runShards(
  shardLines: readonly string[],
  mergeLines: readonly string[],
  jobs: { readonly total: number; readonly envOf: (index: number) => Record<string, string>; readonly from: string },
) {
  const tasks = ["a", "b", "c", "d", "e"].map((id) => `[[tasks]]\nid = "${id}"\ntask = "Do ${id}."\n`)
  const folder = await scratchFolder({ "tasks.toml": tasks.join("\n"), "script.toml": '[[turns]]\ntext = "Done."\n' })
  const cli = `'${process.execPath}' '${join(root, "dist", "cli.js")}'`
  const scripted = '#!/bin/sh\nif test "$1" = batch; then set -- "$@" --script script.toml; fi\n'
  await writeFiles(join(folder, "bin"), { "agent-run": `${scripted}exec ${cli} "$@"\n` })
  await chmod(join(folder, "bin", "agent-run"), 0o755)
  const path = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: folder }
  const shell = (line: string, env: Record<string, string>) =>
    execute("sh", ["-ec", line], { cwd: folder, env: { ...path, ...env } })
  for (let index = 0; index < jobs.total; index += 1) {
    for (const line of shardLines) await shell(line, jobs.envOf(index))
  }
  if (jobs.from !== "out") await shell(`mv out ${jobs.from}`, {})
  for (const line of mergeLines) await shell(line, {})
  return batchReportSchema.parse(JSON.parse(readFileSync(join(folder, "merged/report.json"), "utf8")))
}

function example(name: string) {
  return parse(readFileSync(join(root, "examples", name), "utf8"))
}
