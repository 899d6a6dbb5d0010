// Sets of tools of several sizes. Up to 254 they are what real servers list; beyond that come variants: the same
// definitions under the names and in the words of other products.
import { readdirSync, readFileSync } from "node:fs"

const descriptionLimit = 2048
const folder = new URL("definitions/", import.meta.url)
const real = new Map(
  readdirSync(folder).map((file) => {
    const { server, tools } = JSON.parse(readFileSync(new URL(file, folder), "utf8"))
    return [server, tools]
  }),
)

/** What a team that builds software may have: 225 tokens a tool; a GitHub server of 117 tools was measured at 243. */
const team = ["github", "git", "filesystem", "playwright", "kubernetes", "thinking"]
/** The same number of tools with shorter definitions: 194 tokens a tool, so that there is less to save. */
const lighter = ["filesystem", "git", "github", "gitlab", "maps", "playwright", "slack"]

const variants = [
  ["bitbucket", "github", { GitHub: "Bitbucket", repository: "workspace" }],
  ["azure", "github", { GitHub: "Azure DevOps", issue: "work_item", repository: "project" }],
  ["gitea", "github", { GitHub: "Gitea", pull_request: "patch" }],
  ["jira", "github", { GitHub: "Jira", issue: "ticket", repository: "board", commit: "sprint" }],
  ["gerrit", "gitlab", { GitLab: "Gerrit", merge_request: "change" }],
  ["mercurial", "git", { git: "hg", Git: "Mercurial", branch: "bookmark", commit: "changeset" }],
  ["jujutsu", "git", { git: "jj", Git: "Jujutsu", stash: "shelf" }],
  ["confluence", "notion", { Notion: "Confluence", page: "article", block: "section" }],
  ["airtable", "notion", { Notion: "Airtable", page: "record", database: "base" }],
  ["coda", "notion", { Notion: "Coda", block: "row", data_source: "table" }],
  ["apify", "firecrawl", { firecrawl: "apify", Firecrawl: "Apify" }],
  ["scrapfly", "firecrawl", { firecrawl: "scrapfly", Firecrawl: "Scrapfly" }],
  ["crawlbase", "firecrawl", { firecrawl: "crawlbase", Firecrawl: "Crawlbase", monitor: "watcher" }],
  ["selenium", "playwright", { browser: "driver", Playwright: "Selenium" }],
  ["cypress", "playwright", { browser: "cy", Playwright: "Cypress" }],
  ["puppeteer", "playwright", { browser: "puppet", Playwright: "Puppeteer" }],
  ["firefox", "devtools", { page: "view", DevTools: "Firefox" }],
  ["safari", "devtools", { page: "sheet", DevTools: "Web Inspector" }],
  ["edge", "devtools", { page: "document", DevTools: "Edge" }],
  ["nomad", "kubernetes", { kubectl: "nomad", Kubernetes: "Nomad", pod: "allocation", deployment: "job" }],
  ["openshift", "kubernetes", { kubectl: "oc", Kubernetes: "OpenShift", namespace: "project" }],
  ["swarm", "kubernetes", { kubectl: "docker", Kubernetes: "Swarm", pod: "container", deployment: "service" }],
  ["rancher", "kubernetes", { kubectl: "rancher", Kubernetes: "Rancher" }],
  ["s3", "filesystem", { file: "object", directory: "bucket" }],
  ["sftp", "filesystem", { file: "remote_file" }],
  ["sharepoint", "filesystem", { file: "item", directory: "library" }],
  ["crm", "memory", { entity: "contact", entities: "contacts", graph: "book", relation: "deal" }],
  ["wiki", "memory", { entity: "article", entities: "articles", observation: "remark" }],
  ["teams", "slack", { slack: "teams", Slack: "Teams" }],
  ["discord", "slack", { slack: "discord", Slack: "Discord", channel: "room" }],
  ["mattermost", "slack", { slack: "mattermost", Slack: "Mattermost" }],
  ["telegram", "slack", { slack: "telegram", Slack: "Telegram", thread: "topic" }],
  ["mapbox", "maps", { maps: "mapbox", Google: "Mapbox" }],
  ["osm", "maps", { maps: "osm", Google: "OpenStreetMap" }],
  ["here", "maps", { maps: "here", Google: "HERE" }],
  ["bing", "tavily", { tavily: "bing" }],
  ["kagi", "tavily", { tavily: "kagi" }],
  ["you", "tavily", { tavily: "you" }],
  ["devdocs", "context7", { Context7: "DevDocs", library: "package" }],
  ["duck", "brave", { brave: "duck", Brave: "Duck" }],
  ["waze", "maps", { maps: "waze", Google: "Waze" }],
  ["demo", "everything", {}],
  ["sample", "everything", {}],
]

/** The sets of the benchmark: each by name, with the number of tools that it must have. */
export function toolSets() {
  const all = [...real.keys()].flatMap((server) => toTools(server, real.get(server), server))
  const more = variants.flatMap(([server, from, words]) => toTools(server, rewrite(real.get(from), words), from))
  const some = (...servers) => all.filter(({ origin }) => servers.includes(origin.server))
  return [
    { name: "20 tools", count: 20, tools: some("github").slice(0, 20) },
    { name: "20 heavy tools", count: 20, tools: some("notion").slice(0, 20) },
    { name: "117 tools", count: 117, tools: some(...team) },
    { name: "117 lighter tools", count: 117, tools: some(...lighter) },
    { name: "254 tools", count: 254, tools: all },
    { name: "500 tools", count: 500, tools: [...all, ...more].slice(0, 500) },
    { name: "1000 tools", count: 1000, tools: [...all, ...more].slice(0, 1000) },
  ]
}

/** The requests of a file, each with the tools that answer it. */
export function requestsOf(file) {
  return readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .map((line) => line.split(" = "))
    .flatMap(([query, expected]) => (expected === undefined ? [] : [{ query, expected: expected.split(" ") }]))
}

/** `sameAs` is the real tool that a variant was made from: it does the same job for another product. */
function toTools(server, tools, from) {
  return tools.map((tool, at) => ({
    name: `mcp__${server}__${tool.name}`,
    description: (tool.description ?? "").slice(0, descriptionLimit),
    inputSchema: tool.inputSchema,
    origin: { kind: "mcp", server, tool: tool.name },
    sameAs: `${from}/${real.get(from)[at].name}`,
  }))
}

function rewrite(tools, words) {
  let text = JSON.stringify(tools)
  for (const [word, other] of Object.entries(words)) {
    text = text.replaceAll(word, other).replaceAll(word.replaceAll("_", " "), other.replaceAll("_", " "))
  }
  return JSON.parse(text)
}
