const mark = "… [cut]"

/** Hold a text of a server to a length, with a mark where it was cut and no half a character before it. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, Math.max(0, limit - mark.length))
  return `${head.replace(/[\uD800-\uDBFF]$/, "")}${mark}`
}
