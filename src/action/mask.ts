import type { SecretInputs } from "./inputs.ts"

/** Commands that make the runner hide the secrets in every log from here on; each line of a secret by itself, too. */
export function maskCommands(secrets: SecretInputs): string {
  const values = [secrets.apiKey, secrets.githubToken].filter((value) => value !== null)
  const masked = new Set(values.flatMap((value) => [value, ...value.split(/\r?\n/)]))
  return [...masked]
    .filter((value) => value.trim() !== "")
    .map((value) => `::add-mask::${escapeData(value)}\n`)
    .join("")
}

function escapeData(value: string): string {
  return value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}
