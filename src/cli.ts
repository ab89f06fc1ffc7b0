#!/usr/bin/env node
// From Node 22.1 on what was compiled is kept for the next command.
const module = process.getBuiltinModule('node:module') as { readonly enableCompileCache?: () => unknown }
module.enableCompileCache?.()

process.once('SIGINT', () => process.exit(130))

void start(process.argv.slice(2))

/** What is imported at the top would be compiled before anything can be kept. */
async function start(args: readonly string[]): Promise<void> {
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(args)
}
