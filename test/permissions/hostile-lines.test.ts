import { describe, expect, it } from "vitest"
import { createPolicy } from "../../src/permissions/policy.ts"
import { literalCommands } from "../../src/permissions/shell-words.ts"
import { rowsOf, sampleTool, settingsOf } from "./sample-tools.ts"

const commands = `
  git status, git *, git diff *, git log *, git show *, git fetch *, git clone *, git grep *, git push *, git rebase *
  git archive *, git ls-remote *, git switch *, git submodule *, git bisect *, git commit -m *, npm *, npm test *, npm run *
  npx *, npx vitest *, npx tsc *, python *, python -m pytest *, python3 *, python3 scripts/check.py *, node *, uv run *
  node scripts/build.mjs *, uv run pytest *, pytest *, eslint *, go *, cargo *, make *, ls *, cat *, echo *, printf *, grep *
  rg *, find *, fd *, sed *, awk *, gawk *, sort *, uniq *, tar *, rsync *, curl *, test *, [ *, env *, xargs *, timeout *
  nohup *, nice *, sudo *, sh *, sh -c *, bash *, bash -c *, perl *, ruby *, php *, eval *, exec *, watch *, command *
  ssh *, docker *, docker run *, less *, vim *
`
  .trim()
  .split(/\s*[,\n]\s*/)
const policy = createPolicy(
  settingsOf([{ tool: "Bash", action: "allow", commands, broad: false, source: "agent.toml:1" }]),
)
const everything = createPolicy(settingsOf(['allow Bash commands "*" broad']))
const bash = sampleTool("Bash")

describe("shell lines under generous allow rules", () => {
  it("has at least 200 hostile and 60 honest lines, none twice", () => {
    const hostile = rowsOf("hostile-lines.txt").map(({ row }) => row)
    const honest = rowsOf("honest-lines.txt").map(({ row }) => row)
    expect(hostile.length).toBeGreaterThanOrEqual(200)
    expect(honest.length).toBeGreaterThanOrEqual(60)
    expect(new Set([...hostile, ...honest]).size).toBe(hostile.length + honest.length)
  })

  it.each(rowsOf("hostile-lines.txt"))("T14 is not allowed ($heading): $row", ({ row }) => {
    expect(policy.decide(bash, { command: row }).action).toBe("deny")
  })

  it.each(rowsOf("honest-lines.txt"))("T14 is allowed: $row", ({ row }) => {
    expect(policy.decide(bash, { command: row }).action).toBe("allow")
  })

  it("T14 a rule for every command still admits no line that runs its arguments or is not literal", () => {
    const allowed = rowsOf("hostile-lines.txt").filter(
      ({ row }) => everything.decide(bash, { command: row }).action === "allow",
    )
    const chained = ({ heading, row }: { heading: string; row: string }) =>
      heading.startsWith("Chaining") && literalCommands(row) !== null
    expect(allowed.filter((line) => !chained(line))).toEqual([])
  })
})
