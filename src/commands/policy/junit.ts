import { escapeXml } from "../../report/junit.ts"
import type { JudgedCase } from "./test.ts"

/** The cases of a policy test as JUnit XML, which every CI system shows. */
export function renderCasesAsJunit(suite: string, judged: readonly JudgedCase[]): string {
  const failures = judged.filter(({ differences }) => differences.length > 0).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${judged.length}" failures="${failures}">`,
    `  <testsuite name="${escapeXml(suite)}" tests="${judged.length}" failures="${failures}">`,
    ...judged.flatMap(renderCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n")
}

function renderCase({ wanted, decision, differences }: JudgedCase): readonly string[] {
  const head = `    <testcase classname="${escapeXml(wanted.tool)}" name="${escapeXml(wanted.name)}" file="${escapeXml(wanted.at)}"`
  if (differences.length === 0) return [`${head} />`]
  const { action, rule, source } = decision
  const message = `expected ${wanted.expect}, decided ${action} by ${rule} (${source})`
  const details = differences.map(({ what, expected, decided }) => `${what}: expected ${expected}, decided ${decided}`)
  return [
    `${head}>`,
    `      <failure message="${escapeXml(message)}">${escapeXml(details.join("\n"))}</failure>`,
    "    </testcase>",
  ]
}
