import { existsSync, lstatSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { UserError } from "../contract/user-error.ts"
import { findWorkspace } from "../run/find-config.ts"
import { createFolders, unwritable } from "../sinks/output-path.ts"

/** What `agent-run init` is asked to do. */
export interface InitCommand {
  readonly workspace: string | undefined
  /** Replace files that are there. */
  readonly force: boolean
  /** Write the workflow also where there is no `.github` folder. */
  readonly workflow: boolean
}

/** `agent-run init`: a commented agent.toml and a workflow to start from; nothing is replaced without --force. */
export async function initCommand(command: InitCommand, host: NodeJS.Process): Promise<number> {
  const workspace = findWorkspace({ workspace: command.workspace }, { cwd: host.cwd() })
  const withWorkflow = command.workflow || existsSync(join(workspace, ".github"))
  const files = [
    { name: "agent.toml", text: configText },
    ...(withWorkflow ? [{ name: ".github/workflows/agent-run.yml", text: workflowText }] : []),
  ]
  const there = files.filter(({ name }) => lstatSync(join(workspace, name), { throwIfNoEntry: false }) !== undefined)
  if (there.length > 0 && !command.force) {
    const names = there.map(({ name }) => name).join(" and ")
    throw new UserError(
      "usage_error",
      `${names} ${there.length === 1 ? "is" : "are"} there already; nothing was written`,
      {
        hint: "--force replaces what is there.",
      },
    )
  }
  for (const { name, text } of files) {
    write(join(workspace, name), text)
    host.stdout.write(`wrote ${name}\n`)
  }
  if (withWorkflow) host.stdout.write(`in the workflow: ${placeholders}\n`)
  host.stdout.write("next: agent-run doctor\n")
  return 0
}

/** A link is replaced, not followed. */
function write(path: string, text: string): void {
  try {
    createFolders(dirname(path))
    rmSync(path, { force: true })
    writeFileSync(path, text, { flag: "wx" })
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

const configText = `# agent.toml: what an agent may use, may do and may cost in this repository.
# Check it with:  agent-run doctor
# Unknown keys are errors; agent-run config schema prints all of them.

[agent]
# model = "claude-sonnet-5-5"
max_turns = 40                # requests that may call tools; exit code 4 when it is not enough
timeout_sec = 900
max_cost_usd = 2.00
# instructions_file = "AGENTS.md"   # appended to the system prompt; never loaded by itself

# --- MCP servers. Starting one is the same as running a shell command: pin versions. ---

# [mcp_servers.issues]
# command = "npx"
# args = ["-y", "@acme/issues-mcp@2.3.1"]
# env_vars = ["ISSUES_TOKEN"]       # variables that it may see beside the safe base
# required = true                   # exit code 5 when it is not connected

# [mcp_servers.docs]
# url = "https://docs.example.com/mcp"
# bearer_token_env_var = "DOCS_TOKEN"

# --- Permissions. Reading in the workspace needs no rule; everything else does. ---
# deny beats ask beats allow, in any order. No match: denied, counted and named.

[permissions]
# on_denied = "fail"                # a denied call makes the step red: exit code 7
max_denials = 20

# [[permissions.rules]]
# tool = "{Write,Edit}"
# action = "allow"
# paths = ["src/**", "docs/**"]

# [[permissions.rules]]
# tool = "Bash"
# action = "allow"
# commands = ["git status", "git diff *", "npm run lint"]   # whole lines of plain words only

# [[permissions.rules]]
# tool = "mcp__issues__{get,list,search}_*"
# action = "allow"

# --- Output ---

# [output]
# out_dir = "agent-run-out"         # report.json, transcript.jsonl, summary.md, report.html, …
`

const placeholders =
  "Replace OWNER with the account that has your reviewed copy of agent-run, and COMMIT with the full commit that you reviewed."

const workflowText = `# Reviews a pull request. The agent reads and cannot write; its answer is in the summary of the step.
name: agent-run
on: pull_request
permissions: {}
jobs:
  review:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with:
          persist-credentials: false
          fetch-depth: 0
      - run: sudo apt-get install --yes ripgrep
      - run: git diff "$BASE...HEAD" > "$RUNNER_TEMP/changes.diff"
        env:
          BASE: \${{ github.event.pull_request.base.sha }}
      # ${placeholders}
      - uses: OWNER/agent-run@COMMIT
        id: agent
        with:
          task: Review the changes in the input. Name bugs with file and line. If there are none, say so in one sentence.
          input: \${{ runner.temp }}/changes.diff
          max-cost-usd: 1
          timeout: 10m
          api-key: \${{ secrets.ANTHROPIC_API_KEY }}
      - if: always() && steps.agent.outputs.out-dir != ''
        uses: actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0
        with:
          name: agent-run
          path: \${{ steps.agent.outputs.out-dir }}
`
