#!/usr/bin/env bash
# A pipeline step: list every FIXME of a tree in FIXMES.md, and treat each way a run can end as what it is. Without
# MODEL the model is the script next to this file (no key, no network; tools and rules are real); with MODEL=claude-…
# and ANTHROPIC_API_KEY it is a real one. Arguments are passed on:  check.sh --workspace ../shop --max-turns 5
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT_DIR:-agent-run-out}
model=(--script "$here/script.toml")
[ -n "${MODEL:-}" ] && model=(--model "$MODEL" --max-cost-usd 0.50)

answer=$(agent-run --task-file "$here/task.md" --config "$here/agent.toml" --out-dir "$out" "${model[@]}" "$@")
code=$?

case $code in
  0) echo "done: $answer" ;;
  2) echo "the step itself is wrong: options, agent.toml or a variable" >&2 ;;
  4) echo "stopped at a limit; what it found so far is in $out/summary.md" >&2 ;;
  5) echo "a required MCP server is missing; nothing was asked of the model" >&2 ;;
  6) echo "the model gave no answer; worth another try later" >&2 ;;
  7 | 8) echo "ended, but not as it should; the report says why: $out/report.json" >&2 ;;
  *) echo "agent-run ended with $code" >&2 ;;
esac
exit "$code"
