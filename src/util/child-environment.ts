/** Variables every child may see: what programs need to run at all, and nothing that authenticates. */
const safeNames = new Set(
  [
    "PATH HOME USER LOGNAME SHELL TERM LANG TZ TMPDIR RUNNER_TRACKING_ID",
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy",
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE",
    "npm_config_registry npm_config_cache npm_config_cafile npm_config_userconfig NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE NPM_CONFIG_CAFILE NPM_CONFIG_USERCONFIG",
  ].flatMap((line) => line.split(" ")),
)

type Environment = Readonly<Record<string, string | undefined>>

/** The environment of a child process: the safe base of ours, the variables named, and the values given. */
export function childEnvironment(
  ours: Environment,
  more: {
    readonly names?: readonly string[]
    readonly values?: Readonly<Record<string, string>>
    readonly inheritAll?: boolean
  } = {},
): Record<string, string> {
  const named = new Set(more.names)
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined) continue
    if (more.inheritAll || safeNames.has(name) || name.startsWith("LC_") || named.has(name)) result[name] = value
  }
  return { ...result, ...more.values }
}

/** Keeps git from asking, and from running what a repository brings along. For every child that may call git. */
export const gitSafety: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "core.hooksPath",
  GIT_CONFIG_VALUE_0: "/dev/null",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
  GIT_CONFIG_KEY_2: "protocol.ext.allow",
  GIT_CONFIG_VALUE_2: "never",
}
