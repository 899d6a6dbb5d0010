import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { createWorkspace } from "../../src/tools/workspace.ts"
import { scratchFolder } from "../support/scratch-folder.ts"
import { textOfResult, toolsetIn } from "./toolset.ts"

const homeSecrets = [
  ".ssh/id_ed25519",
  ".ssh/config",
  ".aws/credentials",
  ".aws/config",
  ".gnupg/secring.gpg",
  ".azure/accessTokens.json",
  ".kube/config",
  ".docker/config.json",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".vault-token",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  ".config/gh/hosts.yml",
  ".config/gcloud/application_default_credentials.json",
  ".config/git/credentials",
  ".config/agent-run/agent.toml",
]

const gitFiles = [
  ".git/config",
  ".git/HEAD",
  ".git/hooks/pre-commit",
  ".git/modules/dep/config",
  "vendor/dep/.git/config",
  ".GIT/config",
  ".git-credentials",
]

const outside = [
  "/proc/self/environ",
  "/proc/self/cmdline",
  "/proc/1/environ",
  "/sys/kernel/notes",
  "/dev/zero",
  "/dev/stdin",
  "/etc/passwd",
  "/etc/shadow",
  "../secret.txt",
]

const protectedNames = ["agent.toml", "runs/transcript.jsonl", "runs/report.json"]

const links = { "innocent.txt": ".git/config", notes: "home/.ssh" }

/** A workspace that contains the home folder, so that confinement alone refuses none of its secrets. */
async function hostileWorkspace() {
  const inside = [...homeSecrets.map((name) => `home/${name}`), ...gitFiles, ...protectedNames]
  const base = await scratchFolder({ "secret.txt": "CANARY" })
  const root = join(base, "ws")
  for (const name of inside) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), "CANARY")
  }
  for (const [link, target] of Object.entries(links)) await symlink(target, join(root, link))
  const paths = [...inside, ...outside, "innocent.txt", "notes/id_ed25519"]
  const protectedFiles = protectedNames.map((name) => join(root, name))
  return { root, paths, inside, ...toolsetIn(root, { home: join(root, "home"), protectedFiles }) }
}

describe("paths off limits", () => {
  it("T4 40 paths are refused by each of the five file tools, and none shows or changes what is there", async () => {
    const { root, paths, inside, call } = await hostileWorkspace()
    expect(paths).toHaveLength(40)
    for (const path of paths) {
      const results = {
        Read: await call("Read", { file_path: path }),
        Write: await call("Write", { file_path: path, content: "changed" }),
        Edit: await call("Edit", { file_path: path, old_string: "CANARY", new_string: "changed" }),
        Glob: await call("Glob", { pattern: "**", path }),
        Grep: await call("Grep", { pattern: "CANARY", path, output_mode: "content" }),
      }
      for (const [tool, result] of Object.entries(results)) {
        expect.soft(textOfResult(result), `${tool} ${path}`).toMatch(/^tool_error: Refused: /)
      }
    }
    for (const path of inside) expect(await readFile(join(root, path), "utf8")).toBe("CANARY")
  })

  it("T4 a search over everything leaves refused files out", async () => {
    const { root, call } = await hostileWorkspace()
    await writeFile(join(root, "open.txt"), "CANARY")
    const searches = [
      await call("Grep", { pattern: "CANARY" }),
      await call("Grep", { pattern: "CANARY", glob: "**/.git/**" }),
      await call("Grep", { pattern: "CANARY", glob: "**/{config,credentials,*.json*,open.txt}" }),
      await call("Glob", { pattern: "**" }),
      await call("Glob", { pattern: "**/*.toml" }),
      await call("Glob", { pattern: "{.git,home/.ssh,runs}/**" }),
    ]
    expect(searches.map(textOfResult)).toEqual([
      "open.txt",
      "No matches.",
      "open.txt",
      "open.txt",
      "No files match.",
      "No files match.",
    ])
  })

  it("T4 kernel folders stay closed when the workspace is the whole machine", () => {
    const workspace = createWorkspace("/", { protectedFiles: [], home: "/root" })
    for (const path of ["/proc/self/environ", "/proc", "/sys/kernel", "/dev/null", "/root/.ssh/id_rsa"]) {
      expect(workspace.guardRead(path)).toMatchObject({ ok: false })
    }
    expect(workspace.guardRead("/processes.txt")).toMatchObject({ ok: true })
  })

  it.each([
    "agent.toml",
    "agent.local.toml",
    "agent.lock",
    ".mcp.json",
    ".gitmodules",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/info/attributes",
    ".git",
    ".github/workflows/ci.yml",
    ".github/workflows/deep/ci.yml",
    ".github/workflows",
    "packages/app/agent.toml",
    "packages/app/.git/config",
    "packages/app/.github/workflows/ci.yml",
    "AGENT.TOML",
    "Agent.Local.Toml",
    ".MCP.json",
    ".Git/hooks/post-checkout",
    ".GITHUB/Workflows/ci.yml",
    ".gitmoduleſ",
    ".g\u200cit/config",
  ])("T13 %s cannot be created, replaced or edited", async (path) => {
    const absent = await scratchFolder()
    const refusal = /^tool_error: Refused: /
    expect(textOfResult(await toolsetIn(absent).call("Write", { file_path: path, content: "x" }))).toMatch(refusal)
    expect(await readdir(absent)).toEqual([])

    const present = await scratchFolder({ [path]: "before" })
    const { call } = toolsetIn(present)
    expect(textOfResult(await call("Write", { file_path: path, content: "x" }))).toMatch(refusal)
    const edit = { file_path: path, old_string: "before", new_string: "x" }
    expect(textOfResult(await call("Edit", edit))).toMatch(refusal)
    expect(await readFile(join(present, path), "utf8")).toBe("before")
  })

  it("T13 a workspace inside .github still cannot change workflows, and links do not help", async () => {
    const repository = await scratchFolder({ ".github/workflows/ci.yml": "on: push", "docs/a.md": "" })
    await symlink("../.github", join(repository, "docs/link"))
    const inner = toolsetIn(join(repository, ".github"))
    const outer = toolsetIn(repository)
    const results = [
      await inner.call("Write", { file_path: "workflows/new.yml", content: "x" }),
      await outer.call("Write", { file_path: "docs/link/workflows/new.yml", content: "x" }),
      await outer.call("Write", { file_path: "docs/link/CODEOWNERS", content: "x" }),
    ]
    expect(results.map((result) => result.isError)).toEqual([true, true, false])
  })
})
