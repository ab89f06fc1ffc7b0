#!/usr/bin/env node
// From Node 22.1 on what was compiled is kept for the next command.
const module = process.getBuiltinModule('node:module') as { readonly enableCompileCache?: () => unknown }
module.enableCompileCache?.()

process.once('SIGINT', () => process.exit(130))

void start(process.argv.slice(2))

/** What is imported at the top would be compiled before anything can be kept. */
async function start(args: readonly string[]): Promise<void> {
  // A team store is asked by a thread of its own, which starts while everything else is loaded.
  if (asksPostgres(args, process.env.ANNALS_STORE)) {
    const { startAhead } = await import('./collector/sinks/postgres/ask-ahead.ts')
    startAhead()
  }
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(args)
}

/** Whether this reads from a PostgreSQL, as far as that is plain before anything is read. */
function asksPostgres([command = '', ...args]: readonly string[], usual: string | undefined): boolean {
  const named =
    args.find((arg, i) => args[i - 1] === '--store' || arg.startsWith('--store='))?.replace('--store=', '') ?? usual
  return /^(search|sessions|usage|stats|projects|recap|show)$/.test(command) && /^postgres(ql)?:/.test(named ?? '')
}
