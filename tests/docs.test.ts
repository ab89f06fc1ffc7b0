import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commands } from '../src/cli/commands.ts'
import { flagsOf } from '../src/cli/flags.ts'
import { RECORD_TYPES } from '../src/core/log/record-types.ts'
import { NEWEST_TESTED } from '../src/core/log/version.ts'
import { ops, services } from '../src/ops/index.ts'
import { cliManual } from './cli-manual.ts'

const format = readFileSync('docs/format.md', 'utf8')

const declared = { ...ops, ...services }

test('the command line knows every operation and service', () => {
  expect(Object.keys(commands).sort()).toEqual(Object.keys(declared).sort())
})

test('docs/cli.md is what the operations say', () => {
  const manual = cliManual(Object.values(declared))
  if (process.env.UPDATE) writeFileSync('docs/cli.md', manual)
  expect(readFileSync('docs/cli.md', 'utf8')).toBe(manual)
  for (const op of Object.values(declared)) {
    expect(manual).toContain(`\n## ${op.name}\n`)
    for (const { name } of flagsOf(op)) expect(manual).toContain(`\`--${name}`)
    expect(op.summary, op.name).toMatch(/\.$/)
    expect(op.examples.length, op.name).toBeGreaterThan(0)
  }
})

describe('docs/format.md', () => {
  test('names the newest client version tested', () => expect(format).toContain(NEWEST_TESTED))

  for (const type of RECORD_TYPES) {
    test(`describes ${type}`, () => expect(format).toContain(`\`${type}\``))
  }
})
