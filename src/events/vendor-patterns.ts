/** A credential that its vendor made recognisable; `keep` is the part of a match that stays readable. */
export interface VendorPattern {
  readonly name: string
  readonly source: string
  readonly keep?: RegExp
}

const word = "[A-Za-z0-9_-]"
const privateKey = "[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"

/**
 * Credentials told by their looks, whoever holds them. Each pattern starts with a literal, and its parts cannot match the
 * same text in two ways, so that hostile text is scanned in linear time. No repetition is open: a
 * very long one would overflow the stack.
 */
export const vendorPatterns: readonly VendorPattern[] = [
  { name: "anthropic-key", source: `sk-ant-${word}{20,9999}` },
  { name: "openai-key", source: `(?<!${word})sk-(?=${word}{0,9999}[0-9])(?=${word}{0,9999}[A-Z])${word}{20,9999}` },
  { name: "github-token", source: "gh[pousr]_[A-Za-z0-9]{36,9999}|github_pat_[A-Za-z0-9_]{22,9999}" },
  { name: "gitlab-token", source: `gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-${word}{20,9999}` },
  {
    name: "slack-token",
    source:
      "xox[abeoprs]-[A-Za-z0-9-]{10,9999}|xapp-[0-9]-[A-Za-z0-9-]{10,9999}|hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,9999}",
  },
  { name: "aws-access-key", source: "(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])" },
  {
    name: "aws-secret-key",
    source:
      "(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)[\"']?\\s{0,3}[:=]\\s{0,3}[\"']?[A-Za-z0-9/+]{40}",
  },
  { name: "google-key", source: `AIza${word}{35}|ya29\\.${word}{20,9999}` },
  { name: "stripe-key", source: "[sr]k_(?:live|test)_[A-Za-z0-9]{16,9999}" },
  { name: "npm-token", source: "npm_[A-Za-z0-9]{36}" },
  { name: "jwt", source: `(?<!${word})eyJ${word}{8,9999}\\.eyJ${word}{8,9999}\\.${word}{8,9999}` },
  { name: "private-key", source: `-----BEGIN ${privateKey}(?:[^-]|-(?!----)){0,20000}(?:-----END ${privateKey})?` },
  {
    name: "url-password",
    source: "://[^\\s/:@\"'<>]{0,128}:(?!\\[redacted:[^\\]\\s]{1,99}\\]@)[^\\s/@\"'<>]{1,256}@",
    keep: /^:\/\/[^:]*:|@$/g,
  },
]
