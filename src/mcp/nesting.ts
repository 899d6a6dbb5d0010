/** Is data nested beyond what the rest of the program can walk through without fear for its stack? */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return limit === 0 || Object.values(value).some((part) => isDeeperThan(part, limit - 1))
}
