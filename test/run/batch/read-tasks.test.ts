import { describe, expect, it } from "vitest"
import { readText } from "../../../src/config/text/read-text.ts"
import { UserError } from "../../../src/contract/user-error.ts"
import { readTasks } from "../../../src/run/batch/read-tasks.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

async function read(text: string, name = "tasks.toml") {
  const cwd = await scratchFolder({ [name]: text })
  return { cwd, list: await readTasks(name, { cwd, read: readText }) }
}

async function mistakesIn(text: string, name = "tasks.toml"): Promise<readonly string[]> {
  try {
    await read(text, name)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    expect(error.code).toBe("config_error")
    return error.message.split("\n")
  }
  return []
}

describe("a file of tasks", () => {
  it("is read whole: paths from its folder, limits from its head", async () => {
    const { cwd, list } = await read(`
[batch]
max_cost_usd = 5
timeout_sec = 60
max_failures = 2
concurrency = 8

[[tasks]]
id = "docs-1"
task_file = "task.md"
inputs = ["a.txt", "/abs/b.txt"]
workspace = "shop"
[tasks.overrides]
script = "s.toml"
output_schema = "answer.json"
agent = { max_turns = 5 }
permissions.rules = [{ tool = "Bash", action = "allow", commands = ["git log *"] }]
`)
    expect(list).toMatchObject({
      file: "tasks.toml",
      digest: expect.stringMatching(/^sha256:/),
      head: { max_cost_usd: 5, timeout_sec: 60, max_failures: 2, concurrency: 8 },
    })
    expect(list.tasks).toEqual([
      {
        id: "docs-1",
        position: 1,
        at: "tasks.toml:8",
        task: undefined,
        taskFile: `${cwd}/task.md`,
        inputs: [`${cwd}/a.txt`, "/abs/b.txt"],
        workspace: `${cwd}/shop`,
        script: `${cwd}/s.toml`,
        outputSchema: `${cwd}/answer.json`,
        config: {
          agent: { max_turns: 5 },
          permissions: { rules: [{ tool: "Bash", action: "allow", commands: ["git log *"] }] },
        },
      },
    ])
  })

  it("has a digest of what it asks for, not of how it is written", async () => {
    const toml = await read('[[tasks]]\nid = "a" # one\ntask = "x"\n')
    const jsonl = await read('{"task": "x", "id": "a"}\n', "tasks.jsonl")
    const other = await read('[[tasks]]\nid = "a"\ntask = "y"\n')
    expect(toml.list.digest).toBe(jsonl.list.digest)
    expect(toml.list.digest).not.toBe(other.list.digest)
  })

  it.each([
    ["no task", "", "tasks.toml: it has no task"],
    ["TOML that is none", "[[tasks]\n", /^tasks\.toml:1:\d+ not valid TOML/],
    [
      "an unknown key",
      '[[tasks]]\nid = "a"\ntask = "x"\ntaks = 1\n',
      'tasks.toml:4 tasks[0].taks: unknown key. Did you mean "task"?',
    ],
    [
      "an unknown table",
      '[batches]\n[[tasks]]\nid = "a"\ntask = "x"\n',
      'tasks.toml:1 batches: unknown key. Did you mean "batch"?',
    ],
    [
      "an unknown limit",
      '[batch]\nmax_costs_usd = 1\n[[tasks]]\nid = "a"\ntask = "x"\n',
      'tasks.toml:2 batch.max_costs_usd: unknown key. Did you mean "max_cost_usd"?',
    ],
    ["no id", '[[tasks]]\ntask = "x"\n', "tasks.toml:1 tasks[0].id: is required"],
    [
      "an id that is a path",
      '[[tasks]]\nid = "../a"\ntask = "x"\n',
      /^tasks\.toml:2 tasks\[0\]\.id: must be 1 to 100 letters/,
    ],
    ["a hidden id", '[[tasks]]\nid = ".a"\ntask = "x"\n', /^tasks\.toml:2 tasks\[0\]\.id: must be/],
    ["no source", '[[tasks]]\nid = "a"\n', "tasks.toml:1 tasks[0]: needs task or task_file"],
    [
      "two sources",
      '[[tasks]]\nid = "a"\ntask = "x"\ntask_file = "y"\n',
      "tasks.toml:1 tasks[0]: has task and task_file; give one",
    ],
    [
      "a wrong type",
      '[[tasks]]\nid = "a"\ntask = "x"\ninputs = "y"\n',
      "tasks.toml:4 tasks[0].inputs: expected a list, got text",
    ],
    [
      "a limit below zero",
      '[batch]\nmax_cost_usd = -1\n[[tasks]]\nid = "a"\ntask = "x"\n',
      "tasks.toml:2 batch.max_cost_usd: must be more than 0",
    ],
    [
      "an unknown override",
      '[[tasks]]\nid = "a"\ntask = "x"\noverrides.agent.max_trns = 1\n',
      'tasks.toml:4 tasks[0].overrides.agent.max_trns: unknown key. Did you mean "max_turns"?',
    ],
    [
      "an override of outputs",
      '[[tasks]]\nid = "a"\ntask = "x"\noverrides.output.report = "r.json"\n',
      "tasks.toml:4 tasks[0].overrides.output: outputs belong to the batch: use --out-dir",
    ],
  ])("with %s is refused with the place", async (_, text, message) => {
    const expected = message instanceof RegExp ? expect.stringMatching(message) : message
    expect(await mistakesIn(text)).toEqual([expected])
  })

  it("names every mistake at once, also two ids that differ in case alone", async () => {
    const text = '[[tasks]]\nid = "a"\ntask = "x"\n[[tasks]]\nid = "A"\ntask = "x"\n[[tasks]]\nid = "b"\n'
    expect(await mistakesIn(text)).toEqual([
      "tasks.toml:7 tasks[2]: needs task or task_file",
      'tasks.toml:4 id "A" is also that of the task at tasks.toml:1',
    ])
  })

  it("names the line of JSONL", async () => {
    const lines = ['{"id": "a", "task": "x"}', "", "{nonsense", '{"id": "b"}', '["no object"]']
    expect(await mistakesIn(lines.join("\n"), "tasks.jsonl")).toEqual([
      expect.stringMatching(/^tasks\.jsonl:3:\d+ not valid JSON/),
      expect.stringMatching(/^tasks\.jsonl:5:1 expected a JSON object/),
      "tasks.jsonl:4 needs task or task_file",
    ])
  })

  it("that is not there is refused", async () => {
    const cwd = await scratchFolder()
    await expect(readTasks("none.toml", { cwd, read: readText })).rejects.toThrow("none.toml: does not exist")
  })
})
