import type { JsonSchema } from "../contract/json.ts"

/** What an answer must fit, as far as the loop needs to know it. */
export interface AnswerSchema {
  readonly schema: JsonSchema
  judge(
    answer: string,
  ): Promise<{ readonly ok: true; readonly structured: unknown } | { readonly ok: false; readonly problem: string }>
}

type Judged =
  | { readonly ok: true; readonly fields: { readonly structured?: unknown } }
  | { readonly ok: false; readonly problem: string }

/** Judge an answer; without a schema every answer will do. */
export async function judgeAnswer(answer: string, schema: AnswerSchema | null): Promise<Judged> {
  if (schema === null) return { ok: true, fields: {} }
  const judged = await schema.judge(answer)
  return judged.ok ? { ok: true, fields: { structured: judged.structured } } : judged
}

/** What a model is told whose answer does not fit. */
export function repairRequest(problem: string): string {
  return `Your answer does not fit the schema: ${problem}\nAnswer again with the JSON alone: no other text, no code fence.`
}
