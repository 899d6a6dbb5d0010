#!/usr/bin/env node
import { keepCompiledCode } from "./util/compile-cache.ts"
import { version } from "./util/version.ts"

const args = process.argv.slice(2)
if (args.length === 1 && args[0] === "--version") {
  process.stdout.write(`${version}\n`)
} else {
  keepCompiledCode(process)
  void import("./commands/main.ts").then(({ main }) => main(args, process))
}
