import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { inputNames } from "../../src/action/inputs.ts"
import { outputNames } from "../../src/action/outputs.ts"

interface Step {
  readonly id?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string | boolean | number>>
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly "timeout-minutes"?: number
  readonly steps: readonly Step[]
}

/** Commits of releases, each as its repository has it. */
const releases: Readonly<Record<string, string>> = {
  "actions/checkout": "de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2",
  "actions/upload-artifact": "b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0",
  "actions/download-artifact": "37930b1c2abaa49bbe596cd826c3c89aef350131 # v7.0.0",
}
const folder = new URL("../../examples/workflows/", import.meta.url)
const ours = "OWNER/agent-run@COMMIT"

const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(new URL(name, folder), "utf8")
  const { permissions, jobs }: { permissions: unknown; jobs: Readonly<Record<string, Job>> } = parse(text)
  const all = Object.values(jobs)
  return { name, text, permissions, jobs: all, steps: all.flatMap(({ steps }) => steps) }
})

describe.each(workflows)("the example $name", ({ text, permissions, jobs, steps }) => {
  it("gives every job the least permissions, and no job with a model one that writes", () => {
    expect(permissions).toEqual({})
    for (const job of jobs) {
      const levels = Object.values(job.permissions ?? {})
      expect(levels).not.toEqual([])
      expect(job["timeout-minutes"]).toBeGreaterThan(0)
      const asksModel = job.steps.some((step) => step.uses === ours && step.with?.apply === undefined)
      if (asksModel) expect(levels.filter((level) => level !== "read")).toEqual([])
    }
  })

  it("pins every action of others to the commit of a release", () => {
    const used = [...text.matchAll(/uses: (\S+?)@(.+)/g)].filter((match) => `${match[1]}@${match[2]}` !== ours)
    for (const [, action = "", pin] of used) expect(pin).toBe(releases[action])
  })

  it("leaves no credentials in a checkout", () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"))
    for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false)
  })

  it("puts nothing that others wrote into a shell line", () => {
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([])
  })

  it("C2 uses inputs and outputs that there are", () => {
    const inputs = steps.filter(({ uses }) => uses === ours).flatMap((step) => Object.keys(step.with ?? {}))
    const outputs = [...text.matchAll(/steps\.agent\.outputs\.([\w-]+)/g)].map((match) => match[1])
    expect(inputs.filter((name) => !inputNames.some((known) => known === name))).toEqual([])
    expect(outputs.filter((name) => !outputNames.some((known) => known === name))).toEqual([])
  })
})

describe("the placeholder for the Action itself", () => {
  it("C2 is explained with the same sentence wherever it stands, by init too", () => {
    const sentence =
      "Replace OWNER with the account that has your reviewed copy of agent-run, and COMMIT with the full commit that you reviewed."
    const pages = ["README.md", "docs/github-action.md", "src/commands/init.ts"].map((path) => ({
      path,
      text: readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"),
    }))
    const all = [...pages, ...workflows.map(({ name, text }) => ({ path: name, text }))]
    for (const { path, text } of all) {
      const explained = text.includes("${placeholders}") ? text.replaceAll("${placeholders}", sentence) : text
      const uses = explained
        .split("\n")
        .flatMap((line, index, lines) => (/uses: OWNER/.test(line) ? [lines[index - 1]] : []))
      expect({ path, uses: new Set(uses) }).toEqual({
        path,
        uses: new Set(uses.length === 0 ? [] : [`      # ${sentence}`]),
      })
      expect(explained).toContain(sentence)
    }
  })
})
