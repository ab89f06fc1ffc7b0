#!/usr/bin/env node
// Starts the program. npm runs no build where scripts are switched off: then the package has no program, and this says so.
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const program = join(__dirname, '../dist/cli.cjs')
if (existsSync(program)) require(program)
else {
  console.error(
    'This annals was packed or linked before it was built: npm runs no build where its scripts are switched off.\n' +
      '  In the checkout run `npm run build && npm pack`, then install the new annals-*.tgz.',
  )
  process.exitCode = 2
}
