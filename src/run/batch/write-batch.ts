import { join } from "node:path"
import type { BatchReport } from "../../contract/batch.ts"
import { outputFiles } from "../../contract/output.ts"
import { renderBatchJunit } from "../../report/batch/junit.ts"
import { renderBatchSummary } from "../../report/batch/markdown.ts"
import { toJsonReport } from "../../report/json.ts"
import { prepareOutputFile, writeOutput } from "../../sinks/files.ts"

/** The files that a batch and a merge write beside the folders of the tasks. */
export const batchOutputs = [outputFiles.summary, outputFiles.junit, outputFiles.html, outputFiles.report] as const

/** Make sure that the outputs of a batch can be written. Throws a UserError when not. */
export function prepareBatchOutputs(outDir: string): void {
  for (const name of batchOutputs) prepareOutputFile(join(outDir, name))
}

/** Write all outputs of a batch; the report comes last. Says what could not be written. */
export async function writeBatch(report: BatchReport, outDir: string): Promise<readonly string[]> {
  const { renderBatchPage } = await import("../../report/batch/page.ts")
  const contents = {
    [outputFiles.summary]: () => renderBatchSummary(report),
    [outputFiles.junit]: () => renderBatchJunit(report),
    [outputFiles.html]: () => renderBatchPage(report),
    [outputFiles.report]: () => toJsonReport(report),
  }
  const problems: string[] = []
  for (const name of batchOutputs) {
    const path = join(outDir, name)
    await writeOutput(path, contents[name]()).catch((error: Error) => {
      problems.push(`cannot write ${path}: ${error.message}`)
    })
  }
  return problems
}
