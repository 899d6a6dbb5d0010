import { dirname, extname, resolve } from "node:path"
import type * as z from "zod/mini"
import { digestOfValue } from "../../batch/digest.ts"
import type { TaskEntry, TaskList } from "../../batch/task.ts"
import { describeIssue, type Finding } from "../../config/describe-issue.ts"
import type { KeyPath } from "../../config/positions.ts"
import { formatPath, type Problem, throwProblems } from "../../config/problem.ts"
import { configSchema } from "../../config/schema.ts"
import { suggest } from "../../config/suggest.ts"
import { parseJson } from "../../config/text/parse-json.ts"
import { parseToml } from "../../config/text/parse-toml.ts"
import type { ParsedText } from "../../config/text/parsed-text.ts"
import type { ReadGoverning } from "../../config/trust/trust.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { headSchema, knownKeys, optionSchema, taskSchema } from "./task-schema.ts"

/** A table of the file that was not checked yet, and how its mistakes are named. */
interface RawTask {
  readonly value: unknown
  /** Where a key of it stands. */
  placeOf(path: KeyPath): string
  /** Its own path in the file. */
  readonly path: KeyPath
}

const maxBytes = 512 * 1024 * 1024
const hint =
  "Each task is one of [[tasks]] with id, task or task_file; also inputs, workspace, overrides. See docs/scale.md."

/** Read a file of tasks, TOML or by its name JSONL. Throws a UserError that names every mistake and its place. */
export async function readTasks(
  file: string,
  { cwd, read }: { readonly cwd: string; readonly read: ReadGoverning },
): Promise<TaskList> {
  const path = resolve(cwd, file)
  const content = await read(path, maxBytes)
  if (content.kind !== "text") {
    throwProblems([problem(`${file}:`, content.kind === "missing" ? "does not exist" : content.why)], hint)
    throw new Error("a file that cannot be read was refused")
  }
  const lines = extname(file) === ".jsonl"
  const { head, raw, problems } = lines ? readLines(content.text, file) : readTable(content.text, file)
  const entries = raw.map((task, index) => toEntry(task, { position: index + 1, folder: dirname(path), problems }))
  const tasks = entries.filter((entry) => entry !== null)
  problems.push(...duplicatesOf(tasks))
  if (raw.length === 0 && problems.length === 0) problems.push(problem(`${file}:`, "it has no task"))
  throwProblems(problems, hint)
  return { file, digest: digestOfValue(raw.map(({ value }) => value)), head, tasks }
}

interface RawFile {
  readonly head: TaskList["head"]
  readonly raw: readonly RawTask[]
  readonly problems: Problem[]
}

function readTable(text: string, file: string): RawFile {
  const parsed = parseToml(text)
  if (parsed.kind === "fault") return { head: {}, raw: [], problems: [faultOf(parsed, file, 0)] }
  const { values, positions } = parsed
  const placeOf = (path: KeyPath) => {
    const position = positions.find(path)
    return position === null ? `${file}:` : `${file}:${position.line}`
  }
  const { batch = {}, tasks = [], ...unknown } = values
  const problems = Object.keys(unknown).map((key) => problem(placeOf([key]), unknownKey([key], knownKeys.file)))
  const checked = headSchema.safeParse(batch)
  const findings = issuesOf(checked.error, { value: batch, known: knownKeys.head })
  problems.push(...findings.map((found) => toProblem(placeOf(["batch", ...found.path]), ["batch"], found)))
  if (!Array.isArray(tasks)) problems.push(problem(placeOf(["tasks"]), "tasks: expected a list of tables"))
  const list: readonly unknown[] = Array.isArray(tasks) ? tasks : []
  const raw = list.map((value, index) => {
    const path = ["tasks", index]
    return { value, path, placeOf: (inner: KeyPath) => placeOf([...path, ...inner]) }
  })
  return { head: checked.data ?? {}, raw, problems }
}

function readLines(text: string, file: string): RawFile {
  const problems: Problem[] = []
  const raw = text.split("\n").flatMap((line, index): readonly RawTask[] => {
    if (line.trim() === "") return []
    const parsed = parseJson(line)
    if (parsed.kind === "fault") {
      problems.push(faultOf(parsed, file, index))
      return []
    }
    return [{ value: parsed.values, path: [], placeOf: () => `${file}:${index + 1}` }]
  })
  return { head: {}, raw, problems }
}

function toEntry(
  raw: RawTask,
  { position, folder, problems }: { readonly position: number; readonly folder: string; readonly problems: Problem[] },
): TaskEntry | null {
  const report = (found: Finding) => problems.push(toProblem(raw.placeOf(found.path), raw.path, found))
  const checked = taskSchema.safeParse(raw.value)
  for (const found of issuesOf(checked.error, { value: raw.value, known: knownKeys.task })) report(found)
  if (!checked.success) return null
  const { id, task, task_file: taskFile, inputs, workspace, overrides } = checked.data
  if ((task === undefined) === (taskFile === undefined)) {
    report({ path: [], message: task === undefined ? "needs task or task_file" : "has task and task_file; give one" })
  }
  const { options, config, findings } = readOverrides(overrides)
  for (const found of findings) report({ ...found, path: ["overrides", ...found.path] })
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(folder, path))
  return {
    id,
    position,
    at: raw.placeOf([]),
    task,
    taskFile: absolute(taskFile),
    inputs: inputs.map((input) => resolve(folder, input)),
    workspace: absolute(workspace),
    script: absolute(options.script),
    outputSchema: absolute(options.output_schema),
    config,
  }
}

/** Overrides are keys of agent.toml, and the two options that are no key. */
function readOverrides(overrides: JsonObject) {
  const names = Object.keys(optionSchema.shape)
  const entries = Object.entries(overrides)
  const given = Object.fromEntries(entries.filter(([key]) => names.includes(key)))
  const config = Object.fromEntries(entries.filter(([key]) => !names.includes(key)))
  const options = optionSchema.safeParse(given)
  const findings: Finding[] = [
    ...issuesOf(options.error, { value: given, known: names }),
    ...(configSchema.safeParse(config).error?.issues ?? []).flatMap((issue) => describeIssue(issue, config)),
  ]
  if ("output" in config) findings.push({ path: ["output"], message: "outputs belong to the batch: use --out-dir" })
  return { options: options.data ?? {}, config, findings }
}

function duplicatesOf(tasks: readonly TaskEntry[]): readonly Problem[] {
  const seen = new Map<string, TaskEntry>()
  return tasks.flatMap((task) => {
    // Each id is a folder, and some file systems do not tell case apart.
    const key = task.id.toLowerCase()
    const first = seen.get(key)
    if (first === undefined) seen.set(key, task)
    return first === undefined ? [] : [problem(task.at, `id "${task.id}" is also that of the task at ${first.at}`)]
  })
}

function issuesOf(
  error: z.core.$ZodError | undefined,
  { value, known }: { readonly value: unknown; readonly known: readonly string[] },
): readonly Finding[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return describeIssue(issue, isJsonObject(value) ? value : {})
    return issue.keys.map((key) => ({ path: [key], message: unknownKey([], known, key) }))
  })
}

function unknownKey(path: KeyPath, known: readonly string[], key = String(path.at(-1))): string {
  const meant = suggest(key, known)
  const what = `unknown key${meant === null ? "" : `. Did you mean "${meant}"?`}`
  return path.length === 0 ? what : `${formatPath(path)}: ${what}`
}

function toProblem(where: string, path: KeyPath, found: Finding): Problem {
  const key = formatPath([...path, ...found.path])
  return problem(where, key === "" ? found.message : `${key}: ${found.message}`)
}

function faultOf(fault: Extract<ParsedText, { kind: "fault" }>, file: string, linesBefore: number): Problem {
  return problem(`${file}:${fault.position.line + linesBefore}:${fault.position.column}`, fault.message)
}

function problem(where: string, message: string): Problem {
  return { code: "config_error", where, message }
}
