/** What turns an innocent program into one that runs or writes something else. */
export interface Danger {
  /** Long options without their dashes; an abbreviation counts too, as getopt accepts it. */
  readonly long?: readonly string[]
  /** Letters of short options, alone or inside a cluster such as `-xzI`. */
  readonly short?: string
  /** Whole words, also as `word=value`. */
  readonly words?: readonly string[]
  /** Anything else a word may look like. */
  readonly shape?: RegExp
  /** Options before the subcommand, when the rule left the subcommand open. */
  readonly leading?: RegExp
}

const list = (text: string): readonly string[] => text.trim().split(/\s+/)
const phrases = (text: string): readonly (readonly string[])[] =>
  text
    .split(/[,\n]/)
    .map((phrase) => list(phrase))
    .filter((words) => words[0] !== "")

/** Programs whose arguments are a program, or code in a language of their own: `*` never admits words after these. */
export const wrappers = phrases(`
  env, xargs, parallel, nohup, timeout, sudo, doas, su, runuser, setpriv, nice, ionice, chrt, taskset, time, watch, entr
  setsid, stdbuf, unbuffer, script, expect, flock, chroot, unshare, nsenter, bwrap, firejail, systemd-run, start-stop-daemon
  sh, bash, dash, zsh, ksh, mksh, fish, ash, csh, tcsh, pwsh, powershell, busybox, toybox, rlwrap, screen, tmux, dtach
  strace, ltrace, gdb, lldb, perf, valgrind, ssh, scp, sftp, mosh, rsh, nc, ncat, netcat, socat, telnet, at, batch, crontab
  eval, exec, command, builtin, source, ., trap, alias, export, declare, typeset, local, readonly, hash, enable, set, shopt
  unset, let, read, mapfile, readarray, bind, complete, compgen, coproc, vi, vim, nvim, view, ex, ed, emacs, nano, less, more
  man, info, dc, psql, mysql, sqlite3, tclsh, wish, osascript, git config, git filter-branch, git bisect run, git difftool
  git submodule foreach, git mergetool, git daemon, git shell, git credential, git hook, git instaweb, git send-email, git help
  git upload-pack, git receive-pack, git remote-ext, git remote-fd, git for-each-repo, git maintenance, git web--browse
  npm explore, npm config, npm set, npm edit, npm init, npm create, npm innit, npm c, pnpm config, pnpm create, yarn config
  yarn create, yarn plugin, docker run, docker exec, docker compose run, docker compose exec, docker build, podman run
  podman exec, kubectl exec, kubectl run, kubectl debug, go generate, go tool, go env, gh alias, gh extension, gh config
  gh auth, ip netns
`)

/** Programs that run the program, script or module named next: `*` admits words only once a rule has named that. */
export const launchers = phrases(`
  node, nodejs, python, python2, python3, pypy, pypy3, perl, ruby, php, lua, luajit, Rscript, julia, java, deno, deno run, bun
  bun x, bun run, tsx, ts-node, npx, pnpx, bunx, uvx, pipx, pipx run, npm exec, npm x, pnpm exec, pnpm dlx, yarn exec, yarn dlx
  yarn node, uv run, poetry run, pipenv run, pdm run, hatch run, rye run, conda run, bundle exec, go run, nix run, mise exec
  asdf exec, direnv exec, composer exec, dotnet exec
`)

/** What is refused after any program. */
export const anyProgram: Danger = {
  long: list(`
    exec exec-batch exec-path upload-pack receive-pack to-command checkpoint-action use-compress-program rsh rsync-path
    rsh-command rmt-command script-shell compress-program ext-diff open-files-in-pager pager eval require import loader
    experimental-loader init-script config-env node-options use-askpass globalsetup globalteardown setupfiles testrunner
    rulesdir resolve-plugins-relative-to
  `),
  words: list("-exec -execdir -toolexec -ok -okdir"),
  shape: /proxycommand|localcommand/i,
}

/** A remote such as `ext::command` names a helper program. */
const remoteHelper = /::/
const javaScriptTests: Danger = {
  long: list(`
    config globalSetup setupFiles setupFilesAfterEnv testRunner transform resolver reporter reporters environment
    testEnvironment root rootDir dir preset plugin file opts node-option browser outputFile
  `),
  short: "crC",
}
const linter: Danger = {
  long: list("config plugin parser format formatter output-file cache-location stdin-filename"),
  short: "cfo",
}
const packageManager: Danger = {
  long: list(`
    script-shell shell call prefix dir cwd userconfig globalconfig node-options git editor viewer browser init-module
    use-yarnrc
  `),
  short: "cC",
}
const make: Danger = {
  long: list("eval file makefile directory include-dir"),
  short: "fCEI",
  shape: /^[\w.]+[+:?!]*=/,
}
const compiler: Danger = {
  long: list("specs"),
  short: "B",
  words: list("-wrapper -specs"),
  shape: /^(-fplugin|-Xclang|-load|@)/,
}

/** What is refused after one program, or after one of its subcommands. */
export const dangers: ReadonlyMap<string, Danger> = new Map<string, Danger>([
  [
    "git",
    {
      long: list(
        "git-dir work-tree output output-directory extcmd tool template config no-index interactive unsafe-paths",
      ),
      shape: /^(-\w*c)?[a-z][\w-]*\.[\w.-]+=/i,
      leading: /^(?!--no-pager$|--version$)/,
    },
  ],
  ["git clone", { short: "uc", long: list("separate-git-dir"), shape: remoteHelper }],
  ["git ls-remote", { short: "u", shape: remoteHelper }],
  ["git fetch", { shape: remoteHelper }],
  ["git pull", { shape: remoteHelper }],
  ["git push", { shape: remoteHelper }],
  ["git remote", { shape: remoteHelper }],
  ["git submodule", { shape: remoteHelper }],
  ["git grep", { short: "O" }],
  ["git rebase", { short: "xi" }],
  ["git archive", { short: "o", long: list("remote") }],
  ["git format-patch", { short: "o" }],
  ["npm", packageManager],
  ["pnpm", packageManager],
  ["yarn", packageManager],
  ["find", { words: list("-delete -fprint -fprint0 -fprintf -fls -files0-from") }],
  ["fd", { short: "xX" }],
  ["fdfind", { short: "xX" }],
  [
    "tar",
    {
      long: list("info-script new-volume-script absolute-names"),
      shape: /^(-[A-Za-z]*[IFP]|[cxtruvzjkfpmoJ]*[IFP][A-Za-z]*$)/,
    },
  ],
  ["rsync", { short: "eM" }],
  [
    "curl",
    {
      long: list(`
        config output output-dir remote-name remote-name-all upload-file dump-header cookie-jar trace trace-ascii stderr
        libcurl etag-save hsts alt-svc engine netrc-file
      `),
      short: "oOKTDcJ",
      shape: /file:/i,
    },
  ],
  [
    "wget",
    {
      long: list(
        "execute output-document output-file append-output post-file body-file config input-file directory-prefix",
      ),
      short: "OoaeiP",
    },
  ],
  ["sort", { long: list("output temporary-directory files0-from"), short: "oT" }],
  ["split", { long: list("filter") }],
  ["rg", { long: list("pre hostname-bin search-zip"), short: "z" }],
  ["zip", { long: list("unzip-command"), short: "T" }],
  ["tcpdump", { short: "zw" }],
  ["yq", { long: list("inplace"), short: "i" }],
  ["date", { long: list("set file"), short: "sf" }],
  ["tree", { short: "oR" }],
  ["xxd", { short: "r" }],
  ["printf", { short: "v" }],
  ["test", { words: list("-v -R") }],
  ["[", { words: list("-v -R") }],
  ["make", make],
  ["gmake", make],
  ["cmake", { words: list("-P -E"), long: list("build-and-test") }],
  ["ninja", { short: "fCt" }],
  [
    "go",
    {
      long: list("exec toolexec vettool overlay modfile ldflags gcflags asmflags"),
      words: list(
        "-vettool -overlay -modfile -ldflags -gcflags -asmflags -C -o -cpuprofile -memprofile -trace -coverprofile",
      ),
    },
  ],
  ["cargo", { long: list("config manifest-path target-dir"), short: "CZ", shape: /^\+/ }],
  ["gcc", compiler],
  ["cc", compiler],
  ["clang", compiler],
  ["g++", compiler],
  ["mvn", { short: "fs", shape: /exec[:.]|^-D.*(exec|shell|ant)/i }],
  ["gradle", { long: list("build-file include-build project-dir"), short: "Ibcp" }],
  ["pytest", { long: list("override-ini rootdir confcutdir basetemp junit-xml"), short: "pco" }],
  ["vitest", javaScriptTests],
  ["jest", { ...javaScriptTests, words: list("--runner") }],
  ["mocha", { ...javaScriptTests, short: "crCR" }],
  ["eslint", linter],
  ["prettier", linter],
  ["stylelint", linter],
  ["hg", { long: list("config") }],
  ["svn", { long: list("config-option config-dir diff-cmd diff3-cmd editor-cmd") }],
])
