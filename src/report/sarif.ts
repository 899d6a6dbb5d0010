import type { Finding } from "../contract/finding.ts"
import { toVisibleText } from "../util/visible-text.ts"
import { toWellFormed } from "../util/well-formed.ts"

/** What a SARIF file says beside its findings. */
export interface SarifFacts {
  readonly version: string
  /** The rules that findings refer to, by id, each with a sentence. */
  readonly rules: Readonly<Record<string, string>>
  /** How what looked for them ended; without it nothing is said. */
  readonly exitCode?: number
}

/** Findings as a SARIF 2.1.0 log with one run, as code scanning of CI systems reads it. */
export function toSarif(findings: readonly Finding[], { version, rules, exitCode }: SarifFacts): string {
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "agent-run",
            version,
            rules: Object.entries(rules).map(([id, text]) => ({ id, shortDescription: { text } })),
          },
        },
        ...(exitCode !== undefined && { invocations: [{ executionSuccessful: exitCode === 0, exitCode }] }),
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          level: finding.level,
          message: { text: clean(finding.message) },
          locations: [locationOf(finding)],
          partialFingerprints: { "agentRun/v1": `${finding.rule}:${clean(finding.subject)}` },
        })),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function locationOf({ place, subject }: Finding) {
  return {
    ...(place === null
      ? {}
      : { physicalLocation: { artifactLocation: { uri: encodeURI(place.file) }, region: { startLine: place.line } } }),
    logicalLocations: [{ fullyQualifiedName: clean(subject) }],
  }
}

function clean(text: string): string {
  return toWellFormed(toVisibleText(text))
}
