import type { ResultBlock } from "../contract/tool.ts"

const maxBase64Length = 5 * 1024 * 1024

/** How the files of the image types that models can see begin. */
const beginnings: readonly (readonly [start: RegExp, mediaType: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
]

/**
 * An image the model can be shown, or why it cannot. The bytes decide on the type: an image that is not what it claims
 * to be, or is too large, would make the API refuse the whole conversation from then on.
 */
export function toImageBlock(data: unknown): Extract<ResultBlock, { type: "image" }> | string {
  if (typeof data !== "string" || !isBase64(data)) return "its data is not base64"
  if (data.length > maxBase64Length) return "it is larger than 5 MB"
  const firstBytes = Buffer.from(data.slice(0, 24), "base64").toString("latin1")
  const mediaType = beginnings.find(([start]) => start.test(firstBytes))?.[1]
  return mediaType === undefined ? "it is not PNG, JPEG, GIF or WebP" : { type: "image", mediaType, data }
}

/** How many bytes some base64 stands for. */
export function decodedSize(data: string): number {
  return Buffer.byteLength(data, "base64")
}

function isBase64(data: string): boolean {
  return data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
}
