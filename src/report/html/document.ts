import { createHash } from "node:crypto"
import { type Html, html, trusted } from "./markup.ts"
import { pageStyle } from "./style.ts"

/**
 * A page that needs nothing else: style and script are inside, nothing is loaded, and its policy lets only these two
 * work.
 */
export function renderDocument(page: {
  readonly title: string
  readonly body: Html
  readonly script?: string
}): string {
  const { title, body, script } = page
  const scripts = script === undefined ? "" : `script-src ${hashOf(script)}; `
  const policy = `default-src 'none'; style-src ${hashOf(pageStyle)}; ${scripts}base-uri 'none'; form-action 'none'`
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(pageStyle)}</style>
</head>
<body>
${body}
${
  script === undefined
    ? null
    : html`<script>${trusted(script)}</script>
`
}</body>
</html>
`
  return document.markup
}

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`
}
