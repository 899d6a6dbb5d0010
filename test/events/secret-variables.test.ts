import { describe, expect, it } from "vitest"
import { createRedactor } from "../../src/events/redact.ts"
import { secretsOf } from "../../src/events/secret-variables.ts"

describe("which variables are secrets", () => {
  it.each([
    ["GITHUB_TOKEN", "abcdefgh1"],
    ["INPUT_API-KEY", "abcdefgh1"],
    ["npm_config__authToken", "abcdefgh1"],
    ["HTTP_AUTHORIZATION", "abcdefgh1"],
    ["MYSQL_PWD", "abcdefgh1"],
    ["AZURE_PAT", "abcdefgh1"],
    ["SENTRY_DSN", "abcdefgh1"],
    ["AWS_SECRET_ACCESS_KEY", "/bPxRfiCYEXAMPLEKEY+slash/first"],
    ["SLACK_WEBHOOK_URL", "https://example.test/T0/B0"],
  ])("T22 %s is one", (name, value) => {
    expect(createRedactor({ env: { [name]: value }, envGlobs: [], patterns: [] }).redactText(`<${value}>`)).toBe(
      `<[redacted:${name}]>`,
    )
  })

  it.each([
    ["SSH_AUTH_SOCK", "/tmp/ssh-XXXX/agent.1"],
    ["GOOGLE_APPLICATION_CREDENTIALS", "/home/runner/key.json"],
    ["AWS_WEB_IDENTITY_TOKEN_FILE", "/data/aws/token"],
    ["GIT_AUTHOR_NAME", "Somebody Else"],
    ["XDG_SESSION_TYPE", "wayland-0"],
    ["API_TOKEN", "short"],
    ["USE_AUTH", "disabled"],
    ["MASKED_TOKEN", "***********"],
    ["KEYBOARD", "qwertz-de"],
    ["DUMMY_TOKEN", "DUMMY_TOKEN"],
    ["LANG_NAME", "en_US.UTF-8"],
  ])("%s is none", (name, value) => {
    expect(createRedactor({ env: { [name]: value }, envGlobs: [], patterns: [] }).redactText(value)).toBe(value)
  })

  it("T22 globs name more variables, and passwords inside any URL count", () => {
    const env = { DEPLOY_CODE: "letmein-please", HTTPS_PROXY: "http://me:proxy-pass-1@proxy:3128" }
    const redactor = createRedactor({ env, envGlobs: ["deploy_*"], patterns: [] })
    expect(redactor.redactText("letmein-please proxy-pass-1")).toBe("[redacted:DEPLOY_CODE] [redacted:HTTPS_PROXY]")
  })

  it("T22 headers in a variable are secrets one by one", () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: "api-key=0123456789abcdef,x-team=platform-engineering" }
    expect(secretsOf(env, []).map(({ value }) => value)).toEqual(["0123456789abcdef", "platform-engineering"])
  })
})
