import { mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { type ConfigOptions, loadConfig } from "../../../src/config/load.ts"
import { readLock } from "../../../src/run/lock.ts"
import { commitPullRequest, git } from "../../support/pull-request.ts"
import { type Files, scratchFolder } from "../../support/scratch-folder.ts"
import { optionsFor } from "../workspace.ts"

type Environment = Readonly<Record<string, string>>

const base = { "agent.toml": "[agent]\nmax_turns = 7\n", "src/a.txt": "a" }
const hostile = {
  "agent.toml": '[agent]\nmax_turns = 99\n[mcp_servers.evil]\ncommand = "touch"\nargs = ["owned"]\n',
  ".mcp.json": '{"mcpServers":{"worse":{"command":"touch","args":["owned2"]}}}',
  "agent.local.toml": '[mcp_servers.local]\ncommand = "touch"\nargs = ["owned3"]\n',
}

function load(workspace: string, env: Environment, more: Partial<ConfigOptions> = {}) {
  const safe = { PATH: process.env.PATH ?? "", HOME: join(workspace, "..", "home"), ...env }
  return loadConfig(optionsFor(workspace, { env: safe, ...more }))
}

/** A checkout of a pull request, and the variables of each CI system for it. */
async function pullRequest(files: { readonly base?: Files; readonly request?: Files } = {}) {
  const folder = await scratchFolder()
  const workspace = join(folder, "checkout")
  await mkdir(workspace)
  const sha = await commitPullRequest(workspace, files.base ?? base, files.request ?? hostile)
  git(workspace, ["update-ref", "refs/remotes/origin/main", sha])
  return { folder, workspace, sha, env: (system: string) => environmentOf(system, folder, sha) }
}

async function environmentOf(system: string, folder: string, sha: string): Promise<Environment> {
  if (system === "gitlab") return { GITLAB_CI: "true", CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_DIFF_BASE_SHA: sha }
  if (system === "jenkins") return { CHANGE_ID: "7", CHANGE_TARGET: "main" }
  const path = join(folder, "event.json")
  await writeFile(path, JSON.stringify({ pull_request: { base: { sha } } }))
  return { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: system, GITHUB_EVENT_PATH: path, GITHUB_SHA: sha }
}

const prLike = ["pull_request", "pull_request_target", "pull_request_review", "issue_comment", "workflow_run"]

describe("the base commit on pull requests", () => {
  it.each([...prLike, "gitlab", "jenkins"])(
    "T6 %s: the base commit governs, and what the request says is named",
    async (system) => {
      const { workspace, env } = await pullRequest()
      const { config } = await load(workspace, await env(system))
      expect(config.agent.maxTurns).toBe(7)
      expect(config.servers).toEqual([])
      const ignored = config.warnings.filter(({ code }) => code === "config_from_base").map(({ message }) => message)
      expect(ignored.map((message) => message.split(" ")[0]).sort()).toEqual([
        ".mcp.json",
        "agent.local.toml",
        "agent.toml",
      ])
    },
  )

  it("T6 elsewhere the work tree governs", async () => {
    const { workspace, env } = await pullRequest()
    const { config } = await load(workspace, await env("push"))
    expect(config.agent.maxTurns).toBe(99)
    expect(config.servers.map(({ name }) => name).sort()).toEqual(["evil", "local", "worse"])
    expect(config.warnings.filter(({ code }) => code === "config_from_base")).toEqual([])
  })

  it("T6 rules that the request deletes still hold", async () => {
    const rule = '[[permissions.rules]]\ntool = "Bash"\naction = "deny"\n'
    const { workspace, env } = await pullRequest({ base: { "agent.toml": rule }, request: { "b.txt": "b" } })
    const { config } = await load(workspace, await env("pull_request"))
    expect(config.permissions.rules).toMatchObject([{ tool: "Bash", action: "deny", source: "agent.toml:1" }])
  })

  it("T6 files named by --config, prompts and agent.lock come from the base, too, under whatever name", async () => {
    const files = {
      base: {
        "ci/agent.toml": '[agent]\ninstructions_file = "rules.md"\nsystem_prompt_file = "system.md"\n',
        "ci/rules.md": "good",
        "ci/system.md": "good",
      },
      request: { "ci/agent.toml": "[agent]\n", "ci/rules.md": "evil", "agent.lock": "evil" },
    }
    const { folder, workspace, env } = await pullRequest(files)
    await symlink(workspace, join(folder, "alias"))
    for (const path of ["ci/agent.toml", join(folder, "alias", "ci", "agent.toml")]) {
      const { config, read } = await load(workspace, await env("pull_request"), { configFiles: [path] })
      expect(config.agent).toMatchObject({ instructions: "good", systemPrompt: "good" })
      expect(await readLock(config.lockFile, read)).toBeNull()
    }
  })

  it("T6 a file outside the work tree is read as it is", async () => {
    const { folder, workspace, env } = await pullRequest()
    await writeFile(join(folder, "ci.toml"), "[agent]\nmax_turns = 3\n")
    const options = { configFiles: [join(folder, "ci.toml")], bare: true }
    expect((await load(workspace, await env("pull_request"), options)).config.agent.maxTurns).toBe(3)
  })

  it("T6 a hook program that the request changed is refused", async () => {
    const hook = '[[hooks.run_start]]\ncommand = ["sh", "hook.sh"]\n'
    const files = { "agent.toml": hook, "hook.sh": "exit 0\n" }
    const changed = await pullRequest({ base: files, request: { ...files, "hook.sh": "touch owned\n" } })
    await expect(load(changed.workspace, await changed.env("pull_request"))).rejects.toMatchObject({
      code: "config_error",
      message: expect.stringContaining("hook.sh is not what the base commit has"),
    })
    const same = await pullRequest({ base: files, request: files })
    expect((await load(same.workspace, await same.env("pull_request"))).config.hooks.runStart).toHaveLength(1)
  })

  it("T6 a file that only the request has does not exist", async () => {
    const { workspace, env } = await pullRequest({ request: { "new.toml": "" } })
    const loading = load(workspace, await env("pull_request"), { configFiles: ["new.toml"] })
    await expect(loading).rejects.toThrow("new.toml does not exist")
  })

  it("T6 a link in the base commit is not followed into the request", async () => {
    const { folder, workspace } = await pullRequest()
    await rm(join(workspace, "agent.toml"))
    await symlink("src/a.txt", join(workspace, "agent.toml"))
    git(workspace, ["add", "--all"])
    const tree = git(workspace, ["write-tree"]).trim()
    const person = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    const sha = git(workspace, [...person, "commit-tree", "-m", "linked", tree]).trim()
    const loading = load(workspace, await environmentOf("pull_request", folder, sha))
    await expect(loading).rejects.toThrow("agent.toml is not a regular file in the base commit")
  })

  it("T6 a base commit that is not in the clone is fetched alone", async () => {
    const { folder, workspace, env } = await pullRequest()
    const clone = join(folder, "clone")
    git(workspace, ["config", "uploadpack.allowAnySHA1InWant", "true"])
    git(folder, ["clone", "--quiet", "--depth=1", pathToFileURL(workspace).href, clone])
    const { config } = await load(clone, await env("pull_request"))
    expect(config.agent.maxTurns).toBe(7)
  })

  it.each([
    ["cannot be had", "f".repeat(40), "cannot be read"],
    ["is not said", "", "does not say which commit"],
    ["looks like an option", "--upload-pack=touch owned", "does not say which commit"],
  ])("T6 a base commit that %s is exit 2 with a hint", async (_, sha, message) => {
    const { folder, workspace } = await pullRequest()
    await expect(load(workspace, await environmentOf("pull_request", folder, sha))).rejects.toMatchObject({
      code: "config_error",
      message: expect.stringContaining(message),
      hint: expect.stringContaining("fetch-depth: 0"),
    })
  })

  it("T6 without a repository a configuration file in the workspace is refused", async () => {
    const folder = await scratchFolder(hostile)
    const env = await environmentOf("pull_request", folder, "f".repeat(40))
    await expect(load(folder, env)).rejects.toThrow("the workspace is not a git repository")
  })
})
