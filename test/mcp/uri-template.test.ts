import { describe, expect, it } from "vitest"
import { matchesTemplate } from "../../src/mcp/uri-template.ts"

describe("matchesTemplate", () => {
  it.each([
    ["note://{id}", "note://7", true],
    ["note://{id}", "note://", false],
    ["note://{id}", "note://7/8", false],
    ["note://{id}/text", "note://7/text", true],
    ["note://{a}-{b}", "note://x-y-z", true],
    ["file:///{+path}", "file:///a/b/c.txt", true],
    ["file:///{+path}", "other:///a", false],
    ["repo://{owner}/{name}/contents{/path*}", "repo://me/it/contents/src/a.ts", true],
    ["repo://{owner}/{name}/contents{/path*}", "repo://me/it/contents", true],
    ["x://list{?page,size}", "x://list?size=2&page=1", true],
    ["x://list{?page,size}", "x://list", true],
    ["x://list{?page}", "x://list?admin=1", false],
    ["x://list?all=1{&page}", "x://list?all=1&page=2", true],
    ["x://a{#part}", "x://a#top", true],
    ["x://a{.ext}", "x://a.txt", true],
    ["x://a{;v}", "x://a;v=1", true],
    ["x://plain", "x://plain", true],
    ["x://plain", "x://plainer", false],
    ["x://{broken", "x://{broken", false],
    ["x://{}", "x://", false],
    ["file:///docs/{+path}", "file:///docs/../etc/passwd", false],
    ["file:///docs/{name}", "file:///docs/%2e%2e%2fetc", false],
  ])("S2.10 %s and %s: %s", (template, uri, expected) => {
    expect(matchesTemplate(template, uri)).toBe(expected)
  })

  it("answers at once for a template made to be slow", () => {
    expect(matchesTemplate(`x://${"{a}".repeat(30)}!`, `x://${"a".repeat(2000)}`)).toBe(false)
  })
})
