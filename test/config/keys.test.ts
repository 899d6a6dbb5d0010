import { describe, expect, it } from "vitest"
import { configKeys } from "../../src/config/keys.ts"
import { suggest } from "../../src/config/suggest.ts"
import { load } from "./workspace.ts"

describe("the keys of agent.toml", () => {
  it("all have a sentence, and the defaults are those of an empty configuration", async () => {
    const keys = [...configKeys()]
    expect(keys.filter(({ description }) => !/^[A-Za-z`].*\.$/.test(description))).toEqual([])
    expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length)
    const { effective } = await load({})
    const listed = new Map(keys.map((entry) => [entry.key, entry.default]))
    for (const { path, value, source } of effective) {
      expect(source).toBe("default")
      expect(listed.get(path.join(".")), path.join(".")).toEqual(value)
    }
  })
})

describe("suggest", () => {
  const known = ["command", "args", "cwd", "env", "env_vars", "url", "max_turns"]
  it.each<[string, string | null]>([
    ["comand", "command"],
    ["commnad", "command"],
    ["Command", "command"],
    ["maxTurns", "max_turns"],
    ["max-turns", "max_turns"],
    ["agrs", "args"],
    ["envvars", "env_vars"],
    ["uri", "url"],
    ["zzz", null],
    ["", null],
    ["x".repeat(100_000), null],
  ])("%.20s means %s", (mistyped, meant) => {
    expect(suggest(mistyped, known)).toBe(meant)
  })
})
