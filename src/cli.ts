#!/usr/bin/env node
import { main } from './cli/main.ts'

// A reader that closes the pipe has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})
process.once('SIGINT', () => process.exit(130))

process.exitCode = await main(process.argv.slice(2))
