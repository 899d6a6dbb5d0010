// Every way to make up a number of tools from whole servers: what of a figure is due to the choice of a set.

/** Of all mixes of servers that have so many tools: how many there are, how many save the target, and the least saving. */
export function measureMixes(servers, { count, fixed, target }) {
  const saved = mixesOf(servers, count).map((mix) => {
    const full = mix.reduce((sum, server) => sum + server.full, 0)
    return 1 - (fixed + mix.reduce((sum, server) => sum + server.listed, 0)) / full
  })
  return { mixes: saved.length, met: saved.filter((share) => share >= target).length, least: Math.min(...saved) }
}

function mixesOf(servers, count) {
  if (count === 0) return [[]]
  const [first, ...others] = servers
  if (first === undefined || count < 0) return []
  return [...mixesOf(others, count - first.tools).map((mix) => [first, ...mix]), ...mixesOf(others, count)]
}
