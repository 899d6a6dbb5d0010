import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { RunEventBody } from "../../../src/contract/event.ts"
import { foldReport } from "../../../src/report/fold.ts"
import { renderPage } from "../../../src/report/html/page.ts"
import { emitted, reply, runEnd, runStart, toolCall, toolResult } from "../../support/run-events.ts"
import { sampleRun } from "../../support/sample-run.ts"
import { scratchFolder } from "../../support/scratch-folder.ts"

const executablePath = "/usr/bin/chromium"
const missing = existsSync(executablePath) ? "" : ` (skipped: there is no ${executablePath})`

describe.skipIf(missing !== "")(`the page of a run in Chromium${missing}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  })
  afterAll(() => browser?.close())

  it("opens without an error and without asking for anything, by day and by night", async () => {
    const backs: string[] = []
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, trouble } = await open(sampleRun, { colorScheme })
      backs.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("completed")
      expect(await page.getByRole("main").getByRole("region").count()).toBeGreaterThan(5)
      expect(trouble).toEqual([])
    }
    expect(backs).toEqual(["rgb(245, 246, 248)", "rgb(18, 22, 28)"])
  })

  it("T11 hostile text stays text: no script runs, nothing is loaded", async () => {
    const { url, hits } = await listen()
    const attack = `</script></style><script>document.title="owned"</script><img src="${url}" onerror="document.title='owned'"><svg onload="document.title='owned'"><a href="javascript:document.title='owned'">x</a>`
    const { page, trouble } = await open([
      runStart({ task: attack }),
      { type: "turn.start", turn: 1, kind: "work" },
      reply(attack),
      toolCall("c1", { tool: attack, input: { [attack]: attack } }),
      toolResult("c1", { tool: attack, content: [{ type: "text", text: attack }] }),
      runEnd({ answer: attack }),
    ])
    await page.getByRole("button", { name: "Open all" }).click()
    expect(await page.title()).toBe("completed: agent-run")
    expect(await page.locator("img, a[href^=javascript], svg[onload]").count()).toBe(0)
    expect(await page.locator("header .said").first().textContent()).toBe(attack)
    expect([trouble, hits()]).toEqual([[], 0])
  })

  it("T11 even markup that got in could not run or load anything", async () => {
    const { url, hits } = await listen()
    const { page, trouble } = await open(sampleRun)
    await page.evaluate(
      `document.body.insertAdjacentHTML("beforeend", '<img src="${url}" onerror="document.title=1">')`,
    )
    await expect.poll(() => trouble.join("\n")).toContain("Content Security Policy")
    expect([await page.title(), hits()]).toEqual(["completed: agent-run", 0])
  })

  it("searches and filters calls, in the transcript and on the timeline", async () => {
    const { page } = await open(sampleRun)
    const shown = () => page.locator(".call:visible .tool").allTextContents()
    const matches = page.locator("#matches")
    expect(await shown()).toEqual(["Read", "mcp__fs__write", "mcp__fs__slow", "made_up"])
    await page.getByLabel("Search").fill("NO ANSWER in")
    await expect.poll(() => matches.textContent()).toBe("1 of 4 calls")
    expect(await shown()).toEqual(["mcp__fs__slow"])
    expect(await page.locator(".row[data-for]:visible").count()).toBe(1)
    await page.getByLabel("Search").press("Escape")
    await page.getByLabel("Show").selectOption("failed and denied calls")
    expect(await shown()).toEqual(["mcp__fs__write", "mcp__fs__slow", "made_up"])
    await page.getByLabel("Show").selectOption("denied calls")
    expect(await shown()).toEqual(["mcp__fs__write"])
    await page.getByLabel("Tool", { exact: true }).selectOption("Read")
    expect(await page.getByText("Nothing matches.").isVisible()).toBe(true)
    await page.getByLabel("Show").selectOption("everything")
    expect(await shown()).toEqual(["Read"])
  })

  it("works with the keyboard alone", async () => {
    const { page } = await open(sampleRun)
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.parentElement.id")
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("To the transcript")
    await page.keyboard.press("/")
    await page.keyboard.type("Read")
    expect(await page.getByLabel("Search").inputValue()).toBe("Read")
    await page.keyboard.press("Escape")
    await page.locator("#call-1 > summary").focus()
    await page.keyboard.press("ArrowDown")
    expect(await focused()).toBe("call-2")
    await page.keyboard.press("Enter")
    expect(await page.locator("#call-2 .body").isVisible()).toBe(true)
    await page.locator("[data-for=call-3]").focus()
    await page.keyboard.press("Enter")
    await expect.poll(focused).toBe("call-3")
    expect(await page.locator("#call-3 .body").isVisible()).toBe(true)
  })

  it("opens with 5,000 events", async () => {
    const turns = Array.from({ length: 500 }, (_, turn) => manyCalls(turn + 1))
    const { page, trouble, openedMs } = await open([runStart(), ...turns.flat(), runEnd()])
    expect(await page.locator(".call").count()).toBe(2000)
    await page.getByLabel("Search").fill("call 1999 ")
    await expect.poll(() => page.locator("#matches").textContent()).toBe("1 of 2000 calls")
    expect(trouble).toEqual([])
    process.stdout.write(`a page with 5,002 events opened in ${Math.round(openedMs)} ms\n`)
  })

  async function open(bodies: readonly RunEventBody[], options: { colorScheme?: "light" | "dark" } = {}) {
    const events = emitted(bodies)
    const file = join(await scratchFolder(), "report.html")
    writeFileSync(file, renderPage(foldReport(events), { events, leftOut: 0 }))
    const page = await browser.newPage(options)
    onTestFinished(() => page.close())
    const trouble = watch(page, pathToFileURL(file).href)
    const begun = performance.now()
    await page.goto(pathToFileURL(file).href)
    return { page, trouble, openedMs: performance.now() - begun }
  }
})

/** A server that counts who comes. */
async function listen() {
  let hits = 0
  const server = createServer((_request, response) => {
    hits += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === "object" ? address?.port : null
  return { url: `http://127.0.0.1:${port}/x`, hits: () => hits }
}

/** Console messages, errors and requests, but for the page itself. */
function watch(page: Page, url: string): string[] {
  const trouble: string[] = []
  page.on("console", (message) => trouble.push(`console: ${message.text()}`))
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`))
  page.on("request", (request) => {
    if (request.url() !== url) trouble.push(`request: ${request.url()}`)
  })
  return trouble
}

/** Ten events: a turn with four calls. */
function manyCalls(turn: number): readonly RunEventBody[] {
  const ids = [0, 1, 2, 3].map((index) => `call ${turn * 4 - 4 + index} `)
  return [
    { type: "turn.start", turn, kind: "work" },
    reply(`Turn ${turn}`, { turn }),
    ...ids.map((id) => toolCall(id, { turn, input: { text: id.repeat(20) } })),
    ...ids.map((id) => toolResult(id, { turn, content: [{ type: "text", text: "line\n".repeat(100) }] })),
  ]
}
