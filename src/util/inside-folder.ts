/** Is this path the folder or something in it? Both absolute; `/ws-evil` is not inside `/ws`. */
export function isInside(folder: string, path: string): boolean {
  if (path === folder) return true
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)
}
