import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commands } from '../src/cli/commands.ts'
import { fieldsOf, GLOBAL_FLAGS } from '../src/cli/flags.ts'
import { RECORD_TYPES } from '../src/core/record-types.ts'
import { NEWEST_TESTED } from '../src/core/version.ts'
import { ops } from '../src/ops/index.ts'

const cli = readFileSync('docs/cli.md', 'utf8')
const format = readFileSync('docs/format.md', 'utf8')

test('the command line knows every operation', () => {
  expect(Object.keys(commands).sort()).toEqual(Object.keys(ops).sort())
})

describe('docs/cli.md', () => {
  for (const op of Object.values(ops)) {
    test(`describes ${op.name} and all its flags`, () => {
      const [, section] = cli.split(`\n## ${op.name}\n`)
      expect(section, `a section "## ${op.name}"`).toBeDefined()
      const text = (section as string).split('\n## ')[0] as string
      for (const { name } of fieldsOf(op)) {
        expect(text).toContain(op.positional.includes(name) ? name : `--${name}`)
      }
      expect(op.summary).toMatch(/\.$/)
    })
  }

  test('describes the flags that every command takes', () => {
    for (const { name } of GLOBAL_FLAGS) expect(cli).toContain(`\`--${name}`)
  })
})

describe('docs/format.md', () => {
  test('names the newest client version tested', () => expect(format).toContain(NEWEST_TESTED))

  for (const type of RECORD_TYPES) {
    test(`describes ${type}`, () => expect(format).toContain(`\`${type}\``))
  }
})
