/** What is wrong with a URL that comes from afar or leads there: it must be https, unless it is this machine. */
export function faultOfEndpoint(url: string): string | null {
  if (!URL.canParse(url)) return "is not a URL"
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== "" || password !== "") return "must not hold a user name or password"
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return null
  return "must be an https URL"
}

/** The same endpoint always spelled the same: scheme, host, port, path and query, whatever their order or case. */
export function normaliseEndpoint(url: string): string {
  const { protocol, host, pathname, searchParams } = new URL(url)
  searchParams.sort()
  const path = pathname.replace(/\/+$/, "").replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase())
  const query = searchParams.toString()
  return `${protocol}//${host}${path}${query === "" ? "" : `?${query}`}`
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)
}
