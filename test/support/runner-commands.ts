/**
 * What CI runners take for commands in the output of a step, after their sources: GitHub's runner reads lines as .NET does,
 * accepts `::name …::` at the start of a line after white space, and `##[name …]` anywhere in it; Azure's agent accepts
 * `##vso[area.action]` anywhere. A stricter reader that also breaks lines at other separators is held to the same.
 */
export function commandsIn(output: string): readonly string[] {
  const dotNetLines = output.split(/\r\n|\r|\n/)
  const strictLines = output.split(/\r\n|[\r\n\v\f\x85\u2028\u2029]/)
  return [...dotNetLines, ...strictLines].filter((line) => isCommand(line) || isCommand(withoutColors(line)))
}

function isCommand(line: string): boolean {
  const start = line.replace(/^[\s\x85]+/, "")
  if (start.startsWith("::") && start.indexOf("::", 2) > 2) return true
  const bracket = line.indexOf("##[")
  if (bracket >= 0 && line.indexOf("]", bracket) > bracket + 3) return true
  const vso = line.indexOf("##vso[")
  return vso >= 0 && line.indexOf("]", vso) > vso + 6
}

function withoutColors(line: string): string {
  return line.replaceAll(/\x1b\[[0-9;]*m/g, "")
}
