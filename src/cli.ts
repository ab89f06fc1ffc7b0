#!/usr/bin/env node
import module from 'node:module'

// From Node 22.1 on what was compiled is kept for the next command.
const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown }
enableCompileCache?.()

process.once('SIGINT', () => process.exit(130))

// A team store is asked by a thread of its own, which starts while everything else is loaded.
if (asksPostgres(process.argv.slice(2), process.env.ANNALS_STORE)) {
  const { startAhead } = await import('./collector/sinks/postgres/ask-ahead.ts')
  startAhead()
}

// Only now: what is imported above is compiled before anything can be kept.
const { main } = await import('./cli/main.ts')
process.exitCode = await main(process.argv.slice(2))

/** Whether this reads from a PostgreSQL, as far as that is plain before anything is read. */
function asksPostgres([command = '', ...args]: readonly string[], usual: string | undefined): boolean {
  const named =
    args.find((arg, i) => args[i - 1] === '--store' || arg.startsWith('--store='))?.replace('--store=', '') ?? usual
  return /^(search|sessions|usage|stats|projects|recap|show)$/.test(command) && /^postgres(ql)?:/.test(named ?? '')
}
