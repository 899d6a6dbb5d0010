import type { ConfigWarning } from "../../contract/config.ts"
import { isJsonObject, type JsonObject } from "../../contract/json.ts"
import { hasMask, maskServerValue } from "../mask.ts"
import { formatPath, throwProblems } from "../problem.ts"
import { createPathNamer, readLayer } from "../read-layer.ts"
import { readText } from "../text/read-text.ts"
import { validateLayer } from "../validate.ts"
import { tableAt } from "../values.ts"

/** What a JSON file of another program means in agent.toml. */
export interface ImportedFile {
  /** As `[mcp_servers]` holds it. */
  readonly servers: JsonObject
  readonly warnings: readonly ConfigWarning[]
}

/** Read a JSON file with MCP servers, in any of its shapes. Throws a UserError that names every mistake and its place. */
export async function importFile(path: string, cwd: string): Promise<ImportedFile> {
  const shown = createPathNamer(cwd, cwd)(path)
  if (!path.endsWith(".json")) {
    throwProblems([{ code: "usage_error", where: shown, message: "is not a .json file" }])
  }
  const { layer, problems, warnings } = await readLayer(
    { path, scope: "local", namedBy: "config import" },
    () => shown,
    readText,
  )
  throwProblems([...problems, ...(layer === null ? [] : await validateLayer(layer))])
  const servers = tableAt(layer?.values, ["mcp_servers"])
  return { servers, warnings: [...warnings, ...plainSecrets(servers, shown)] }
}

function plainSecrets(servers: JsonObject, shown: string): readonly ConfigWarning[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    Object.entries(isJsonObject(server) ? server : {})
      .filter(([key, value]) => hasMask(maskServerValue(key, value)))
      .map(([key]) => ({
        code: "plain_secret",
        message: `${shown} ${formatPath(["mcp_servers", name, key])} holds a secret in plain text; write \${NAME} and set the variable`,
      })),
  )
}
