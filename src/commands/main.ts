import { reasons } from "../contract/reason.ts"
import { UserError } from "../contract/user-error.ts"
import { neutraliseCommands, toLogLine } from "../report/escape.ts"
import { toConfigRunOptions } from "./config-options.ts"
import { type Command, outputsNamedIn, parseCommandLine } from "./parse.ts"
import { toSafeOutput } from "./safe-output.ts"
import { bugHint } from "./stop-signals.ts"

/** The front door of the command line: read it, do it, and end the process with the exit code. */
export async function main(args: readonly string[], host: NodeJS.Process): Promise<void> {
  const exitCode = await perform(args, host)
  await written(host.stdout)
  await written(host.stderr)
  // Something the run does not own, such as an open stdin, must not keep us alive.
  host.exit(exitCode)
}

async function perform(args: readonly string[], host: NodeJS.Process): Promise<number> {
  try {
    if (host.platform === "win32")
      throw new UserError("usage_error", "agent-run runs on Linux and macOS; on Windows use WSL")
    return await dispatch(await parseCommandLine(args), host)
  } catch (error) {
    if (error instanceof UserError) await reportRefusal(error, args, host)
    return explain(error, host)
  }
}

async function dispatch(command: Command, host: NodeJS.Process): Promise<number> {
  switch (command.kind) {
    case "help":
      host.stdout.write(`${command.text}\n`)
      return 0
    case "run": {
      const { runCommand } = await import("./run.ts")
      return runCommand(command.values, host)
    }
    case "apply": {
      const { applyCommand } = await import("./apply.ts")
      return applyCommand(command.plan, command.values, host)
    }
    case "config": {
      const [{ runConfigCommand }, { configOptionsOf, findWorkspace }] = await Promise.all([
        import("./config.ts"),
        import("../run/find-config.ts"),
      ])
      const options = toConfigRunOptions(command.values)
      const place = { cwd: host.cwd(), env: host.env }
      return runConfigCommand({
        ...command,
        options: configOptionsOf(options, place, findWorkspace(options, place)),
        write: (text) => host.stdout.write(toSafeOutput(text, host)),
        note: (line) => host.stderr.write(`${toLogLine(line, 1000)}\n`),
      })
    }
    case "session": {
      const { connectServers } = await import("./connect-servers.ts")
      const options = { ...toConfigRunOptions(command.values), refreshAuth: command.values["refresh-auth"] }
      return connectServers(options, { ...command.values, host }, command.work)
    }
    case "diff": {
      const { diffCommand } = await import("./diff.ts")
      return diffCommand(command, host)
    }
    case "view": {
      const { viewCommand } = await import("./view.ts")
      return viewCommand(command, host)
    }
    case "batch": {
      const { batchCommand } = await import("./batch.ts")
      return batchCommand(command.file, command.values, host)
    }
    case "merge": {
      const { mergeCommand } = await import("./merge.ts")
      return mergeCommand(command.paths, command.values, host)
    }
    case "doctor": {
      const { doctorCommand } = await import("./doctor.ts")
      return doctorCommand(command.values, host)
    }
    case "init": {
      const { initCommand } = await import("./init.ts")
      return initCommand(command, host)
    }
    default:
      return command satisfies never
  }
}

/** A wrong command line has a report, too, if it says where. */
async function reportRefusal(error: UserError, args: readonly string[], host: NodeJS.Process): Promise<void> {
  const outputs = outputsNamedIn(args)
  if (Object.keys(outputs).length === 0) return
  const { refuseRun } = await import("../run.ts")
  const log = (line: string) => host.stderr.write(`${line}\n`)
  await refuseRun(error, outputs, { env: host.env, cwd: host.cwd(), stdin: host.stdin, log }).catch(() => {
    // The mistake itself is printed either way; a second one about its report would only hide it.
  })
}

function explain(error: unknown, host: NodeJS.Process): number {
  if (error instanceof UserError) {
    host.stderr.write(neutraliseCommands(`agent-run: ${error.message}\n${error.hint ? `  ${error.hint}\n` : ""}`))
    return reasons[error.code].exitCode
  }
  const message = error instanceof Error ? error.stack : String(error)
  host.stderr.write(neutraliseCommands(`agent-run: ${message}\n  ${bugHint}\n`))
  return reasons.internal_error.exitCode
}

/** Resolves when everything written so far has reached the other side, or can no longer. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve()
    else stream.write("", () => resolve())
  })
}
