import { describe, expect, it } from "vitest"
import { foldReport } from "../../src/report/fold.ts"
import { renderPage } from "../../src/report/html/page.ts"
import { renderSummary } from "../../src/report/markdown.ts"
import { detectCi } from "../../src/run/ci.ts"
import { emitted, runEnd, runStart } from "../support/run-events.ts"
import { runInProcess } from "../support/run-in-process.ts"

const github = {
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "acme/shop",
  GITHUB_RUN_ID: "42",
  GITHUB_RUN_ATTEMPT: "2",
}
const jenkins = { JENKINS_URL: "https://ci.acme.test/", BUILD_URL: "https://ci.acme.test/job/shop%20(main)/7/" }

describe("the CI system of a run", () => {
  it.each([
    [github, "GitHub Actions", "https://github.com/acme/shop/actions/runs/42/attempts/2"],
    [
      { GITLAB_CI: "true", CI_JOB_URL: "https://gitlab.com/acme/shop/-/jobs/9" },
      "GitLab",
      "https://gitlab.com/acme/shop/-/jobs/9",
    ],
    [jenkins, "Jenkins", "https://ci.acme.test/job/shop%20%28main%29/7/"],
    [
      { CIRCLECI: "true", CIRCLE_BUILD_URL: "https://circleci.com/gh/acme/shop/9" },
      "CircleCI",
      "https://circleci.com/gh/acme/shop/9",
    ],
    [
      {
        BUILDKITE: "true",
        BUILDKITE_BUILD_URL: "https://buildkite.com/acme/shop/builds/3",
        BUILDKITE_JOB_ID: "0190-ab",
      },
      "Buildkite",
      "https://buildkite.com/acme/shop/builds/3#0190-ab",
    ],
  ])(
    "C2 C3 is found by its variables, and the report, the summary and the page link to the job: %j",
    async (env, name, url) => {
      const { report, events } = await runInProcess({ turns: [{ text: "Done." }], env })
      expect(report.run.ci).toEqual({ name, url })
      expect(renderSummary(report)).toContain(` · [\`${name}\`](${url})`)
      expect(renderPage(report, { events, leftOut: 0 })).toContain(
        `<dt>Job</dt><dd><a href="${url}" rel="noreferrer">${name}</a></dd>`,
      )
    },
  )

  it("nothing is said where there is none, or where its variables say too little", () => {
    expect(
      [{}, { CI: "true" }, { JENKINS_URL: "https://ci.acme.test/" }, { GITHUB_ACTIONS: "false" }].map(detectCi),
    ).toEqual([null, null, null, null])
    expect(detectCi({ GITHUB_ACTIONS: "true" })).toEqual({ name: "GitHub Actions", url: null })
  })

  it.each([
    "http://ci.acme.test/1",
    "javascript:alert(1)",
    "https://user:pass@ci.acme.test/1",
    "https://ci.acme.test/`x`\n##[error]",
    `https://ci.acme.test/${"x".repeat(2000)}`,
    "ci.acme.test",
    "",
  ])("T11 an address that is not plain https is no link: %j", (url) => {
    const ci = detectCi({ GITLAB_CI: "true", CI_JOB_URL: url })
    expect(ci?.url === null || /^https:\/\/ci\.acme\.test\/[\w%#]+$/.test(ci?.url ?? "")).toBe(true)
  })

  it.each([
    "javascript:alert(1)",
    "https://a.test/)](x",
    'https://a.test/"onclick=x',
    "https://a.test/<b>",
    "http://a.test/",
  ])("T11 neither is one in a transcript that somebody made: %j", (url) => {
    const events = emitted([runStart({ ci: { name: "GitLab", url } }), runEnd()])
    const report = foldReport(events)
    expect(renderSummary(report)).toContain(" · `GitLab`\n")
    expect(renderPage(report, { events, leftOut: 0 })).toContain("<dt>Job</dt><dd>GitLab</dd>")
  })
})
