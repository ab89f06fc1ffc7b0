#!/usr/bin/env node
import module from 'node:module'

// From Node 22.1 on what was compiled is kept for the next command.
const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown }
enableCompileCache?.()

process.once('SIGINT', () => process.exit(130))

// Only now: what is imported above is compiled before anything can be kept.
const { main } = await import('./cli/main.ts')
process.exitCode = await main(process.argv.slice(2))
