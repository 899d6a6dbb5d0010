import { join } from "node:path"
import { isInside } from "../util/inside-folder.ts"

/** Paths that file tools leave alone wherever the workspace is. */
export interface OffLimits {
  /** Why this real path must not be read, or null. */
  read(absolute: string): string | null
  /** Why this real path must not be created or changed, or null. */
  write(absolute: string): string | null
  /** Everything that must not be read, beside `.git` anywhere: for tools that walk. Absolute. */
  readonly unreadable: readonly string[]
}

/** Say what is off limits: kernel files, credentials, git's own folder, and what governs or records the run. */
export function createOffLimits(options: {
  readonly root: string
  readonly home: string
  readonly protectedFiles: readonly string[]
}): OffLimits {
  const secrets = options.home === "" ? [] : homeSecrets.map((name) => join(options.home, name))
  const kernel = kernelFolders.filter((folder) => !isInside(folder, options.root))
  const unreadable = [...kernel, ...secrets, ...options.protectedFiles]
  const folded = unreadable.map(fold)

  function read(absolute: string): string | null {
    const path = fold(absolute)
    const names = path.split("/")
    if (names.includes(".git")) return "git's own folder is off limits to file tools; use git commands"
    if (names.includes(".git-credentials")) return "it holds credentials"
    return folded.some((refused) => isInside(refused, path))
      ? "it belongs to the system, holds credentials, or governs or records this run"
      : null
  }

  function write(absolute: string): string | null {
    const names = fold(absolute).split("/")
    const governs =
      governingNames.has(names.at(-1) ?? "") ||
      names.some((name, index) => name === ".github" && names[index + 1] === "workflows")
    return governs ? "it governs what runs, and the agent may not change that" : read(absolute)
  }

  return { read, write, unreadable }
}

/** A workspace in shared memory lies in one of them; then being confined to it is enough. */
const kernelFolders = ["/proc", "/sys", "/dev"]

const homeSecrets = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".vault-token",
  ".password-store",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".terraform.d/credentials.tfrc.json",
  ".config/gh",
  ".config/hub",
  ".config/glab-cli",
  ".config/gcloud",
  ".config/git/credentials",
  ".config/agent-run",
]

const governingNames = new Set(["agent.toml", "agent.local.toml", "agent.lock", ".mcp.json", ".gitmodules"])

/** File systems may ignore case, Unicode form and invisible characters; so do we, everywhere. */
function fold(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .toLowerCase()
}
