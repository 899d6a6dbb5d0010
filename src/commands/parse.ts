import type { Argv } from "yargs"
import { suggest } from "../config/suggest.ts"
import type { RunOptions } from "../contract/run-options.ts"
import { UserError } from "../contract/user-error.ts"
import { batchOptions, mergeOptions } from "./batch-options.ts"
import type { DiffCommand } from "./diff.ts"
import type { InitCommand } from "./init.ts"
import { mcpActions } from "./mcp/actions.ts"
import type { McpAction, McpWork } from "./mcp/define-action.ts"
import { applyOptions, configOptions, initOptions, mcpOptions, type OptionValues, runOptions } from "./options.ts"
import { policyActions } from "./policy/actions.ts"
import { readPlainLine } from "./read-plain-line.ts"
import type { ViewCommand } from "./view.ts"
import { addOptions, valuesOf } from "./yargs-options.ts"

/** A command line that was understood. */
export type Command =
  | { readonly kind: "run"; readonly values: OptionValues<typeof runOptions> }
  | {
      readonly kind: "config"
      readonly action: ConfigAction
      readonly file: string | undefined
      readonly json: boolean
      readonly values: OptionValues<typeof configOptions>
    }
  | { readonly kind: "session"; readonly work: McpWork; readonly values: OptionValues<typeof mcpOptions> }
  | ({ readonly kind: "diff" } & DiffCommand)
  | { readonly kind: "apply"; readonly plan: string; readonly values: OptionValues<typeof applyOptions> }
  | { readonly kind: "batch"; readonly file: string; readonly values: OptionValues<typeof batchOptions> }
  | { readonly kind: "merge"; readonly paths: readonly string[]; readonly values: OptionValues<typeof mergeOptions> }
  | ({ readonly kind: "view" } & ViewCommand)
  | { readonly kind: "doctor"; readonly values: OptionValues<typeof mcpOptions> }
  | ({ readonly kind: "init" } & InitCommand)
  | { readonly kind: "help"; readonly text: string }

const configActions = ["check", "show", "schema", "import"] as const

type ConfigAction = (typeof configActions)[number]

/** Read a command line. Throws a UserError that says what is wrong and where help is. */
export async function parseCommandLine(args: readonly string[]): Promise<Command> {
  const plain = readPlainLine(args[0] === "run" ? args.slice(1) : args, runOptions)
  if (plain !== null) return { kind: "run", values: valuesOf(plain, runOptions) }
  return explainCommandLine(args)
}

/** Read any command line: with all commands, help and words about mistakes. */
export async function explainCommandLine(args: readonly string[]): Promise<Command> {
  if (args.includes("--")) {
    throw new UserError("usage_error", "what follows -- would not be read", { hint: "Leave -- out." })
  }
  const { default: yargs } = await import("yargs")
  let command: Command | null = null
  const parser = yargs([...args])
    .scriptName("agent-run")
    .locale("en")
    .usage(
      'Usage: agent-run --task "…" [options]\n\nRun an agent without a terminal; the exit code says what happened.',
    )
    .command(
      ["$0", "run"],
      "Run a task (the default)",
      (sub) => addOptions(sub, runOptions),
      (found) => {
        command = { kind: "run", values: valuesOf(found, runOptions) }
      },
    )
    .command(
      "apply <plan>",
      "Run the calls of a reviewed plan, without a model",
      (sub) => addOptions(sub, applyOptions).positional("plan", { type: "string", demandOption: true }),
      (found) => {
        command = { kind: "apply", plan: found.plan, values: valuesOf(found, applyOptions) }
      },
    )
    .command(
      "config <action> [file]",
      "check: validate; show: every effective value and its source; schema: JSON Schema; import FILE.json: print it as TOML",
      (sub) =>
        addOptions(sub, configOptions)
          .positional("action", { choices: configActions, demandOption: true })
          .positional("file", { type: "string", describe: "import: JSON with MCP servers of another program" })
          .option("json", { type: "boolean", describe: "Machine-readable output" }),
      (found) => {
        command = {
          kind: "config",
          action: found.action,
          file: found.file,
          json: found.json === true,
          values: valuesOf(found, configOptions),
        }
      },
    )
    .command(
      "mcp",
      "The MCP servers of the configuration, without a model",
      (sub) =>
        addActions(sub, { name: "mcp", actions: mcpActions }, (found) => {
          command = found
        }),
      () => undefined,
    )
    .command(
      "policy",
      "What the permission rules decide, without a run",
      (sub) =>
        addActions(sub, { name: "policy", actions: policyActions }, (found) => {
          command = found
        }),
      () => undefined,
    )
    .command(
      "diff <before> <after>",
      "Two reports side by side: outcome, cost, tokens, turns, tools",
      (sub) =>
        sub
          .positional("before", { type: "string", demandOption: true, describe: "The earlier report" })
          .positional("after", { type: "string", demandOption: true, describe: "The later report" })
          .option("max-cost-increase", {
            type: "string",
            requiresArg: true,
            describe: "Exit with 8 when the cost rose by more, such as 20%",
          })
          .option("json", { type: "boolean", describe: "Machine-readable output" }),
      (found) => {
        const { before, after, maxCostIncrease, json = false } = found
        command = { kind: "diff", before, after, maxCostIncrease, json }
      },
    )
    .command(
      "view <transcript>",
      "A page about a past run, also of one that was killed",
      (sub) =>
        sub
          .positional("transcript", { type: "string", demandOption: true, describe: "The transcript of the run" })
          .option("html", { type: "string", requiresArg: true, demandOption: true, describe: "Where the page goes" }),
      ({ transcript, html }) => {
        command = { kind: "view", transcript, html }
      },
    )
    .command(
      "batch <tasks>",
      "Run many tasks, or one shard of them: a report for each and one for all",
      (sub) =>
        addOptions(sub, batchOptions).positional("tasks", {
          type: "string",
          demandOption: true,
          describe: "The tasks: TOML with [[tasks]], or JSONL",
        }),
      (found) => {
        command = { kind: "batch", file: found.tasks, values: valuesOf(found, batchOptions) }
      },
    )
    .command(
      "merge <reports..>",
      "One report from those of all shards; exit code 8 when something is missing or twice",
      (sub) =>
        addOptions(sub, mergeOptions).positional("reports", {
          type: "string",
          array: true,
          demandOption: true,
          describe: "Reports of agent-run batch, or folders that hold them",
        }),
      (found) => {
        command = { kind: "merge", paths: found.reports, values: valuesOf(found, mergeOptions) }
      },
    )
    .command(
      "doctor",
      "Check everything that a run needs, without a model",
      (sub) => addOptions(sub, mcpOptions),
      (found) => {
        command = { kind: "doctor", values: valuesOf(found, mcpOptions) }
      },
    )
    .command(
      "init",
      "Write a commented agent.toml and a workflow to start from",
      (sub) => addOptions(sub, initOptions),
      (found) => {
        const { workspace, force = false, workflow = false } = valuesOf(found, initOptions)
        command = { kind: "init", workspace, force, workflow }
      },
    )
    .epilogue(
      "agent-run --version prints the version.\nExit codes: 0 done, 2 usage or configuration, 3 paused for approval, 4 limit, 5 required server, 6 model, 7 denied, 8 expectation.\nDocs: docs/exit-codes.md, docs/configuration.md",
    )
    .version(false)
    .help("help")
    .strict()
    .recommendCommands()
    .parserConfiguration({
      "boolean-negation": false,
      "dot-notation": false,
      "duplicate-arguments-array": true,
      "greedy-arrays": false,
    })
    .exitProcess(false)
    .wrap(110)
    .fail((message, error) => {
      if (error instanceof UserError) throw error
      throw new UserError("usage_error", message || error?.message || "the command line is wrong", {
        hint: hintFor(message ?? ""),
      })
    })

  let help = ""
  await parser.parseAsync([...args], {}, (_error: unknown, _found: unknown, output: string) => {
    help = output
  })
  if (command === null) return { kind: "help", text: help }
  return command
}

/** The output files that a command line names, read leniently: for one that is wrong elsewhere. */
export function outputsNamedIn(
  args: readonly string[],
): Pick<RunOptions, "report" | "transcript" | "summary" | "junit" | "html" | "sarif" | "outDir" | "resume"> {
  // There, --html is the page of another run, and --sarif what lint found; a batch has a report of another kind.
  if (["view", "mcp", "batch", "merge"].includes(args[0] ?? "")) return {}
  const outputs: Record<string, string> = {}
  args.forEach((arg, index) => {
    const [, name, value = args[index + 1]] =
      /^--(report|transcript|summary|junit|html|sarif|out-dir)(?:=(.*))?$/s.exec(arg) ?? []
    if (name !== undefined && value) outputs[name === "out-dir" ? "outDir" : name] = value
  })
  // A paused run has its transcript already: it must not be emptied because of a typing mistake.
  return args.some((arg) => /^--resume(?:=|$)/.test(arg)) ? { ...outputs, resume: { transcript: "" } } : outputs
}

function addActions(
  parser: Argv,
  group: { readonly name: string; readonly actions: Readonly<Record<string, McpAction>> },
  choose: (command: Command) => void,
): Argv {
  for (const [name, action] of Object.entries(group.actions)) {
    const words = Object.entries(action.words).map(([word, { required, many }]) => {
      const shown = many ? `${word}..` : word
      return required ? `<${shown}>` : `[${shown}]`
    })
    parser.command(
      [name, ...words].join(" "),
      action.describe,
      (sub) => {
        addOptions(sub, { ...mcpOptions, ...action.options })
        for (const [word, { describe }] of Object.entries(action.words)) {
          sub.positional(word, { type: "string", describe })
        }
        return sub
      },
      (found) => choose({ kind: "session", work: action.prepare(found), values: valuesOf(found, mcpOptions) }),
    )
  }
  return parser.demandCommand(1, `${group.name} needs an action`).strict()
}

function hintFor(message: string): string {
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(message)?.[1]
  const meant =
    unknown === undefined ? null : suggest(unknown, [...Object.keys(runOptions), ...Object.keys(batchOptions)])
  return `${meant === null ? "" : `Did you mean --${meant}? `}agent-run --help lists the options.`
}
