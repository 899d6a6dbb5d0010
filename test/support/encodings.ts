/** Twelve ways in which a secret commonly shows up, made by other means than those of the redactor. */
export const encodings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "base64 at the start": (secret) => base64(secret),
  "base64 one byte later": (secret) => base64(`x${secret}`),
  "base64 two bytes later": (secret) => base64(`xy${secret}`),
  "base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "hex, small letters": (secret) => Buffer.from(secret).toString("hex"),
  "hex, capital letters": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
  "a part of a URL": (secret) => encodeURIComponent(secret),
  "a form": (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  "a JSON string": (secret) => JSON.stringify(secret).slice(1, -1),
  HTML: (secret) =>
    secret.replace(
      /[&<>"']/g,
      (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character] ?? "&#39;",
    ),
  "the wrong way round": (secret) => [...secret].reverse().join(""),
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}
