#!/usr/bin/env node
// From Node 22.1 on what was compiled is kept for the next command.
const module = process.getBuiltinModule('node:module') as { readonly enableCompileCache?: () => unknown }
module.enableCompileCache?.()

process.once('SIGINT', () => process.exit(130))

// Only now: what is imported above is compiled before anything can be kept.
import('./cli/main.ts').then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2))
})
