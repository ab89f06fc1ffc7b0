#!/usr/bin/env node
// Node 22.1 and newer keep compiled code on disk. That must be on before the rest of the program is loaded, hence the `import()`.
const module = process.getBuiltinModule('node:module') as { readonly enableCompileCache?: () => unknown }
module.enableCompileCache?.()

process.once('SIGINT', () => process.exit(130))

void start()

async function start(): Promise<void> {
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
