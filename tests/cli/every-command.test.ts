import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Op } from '../../src/ops/op.ts'
import { writeDemoRoot } from '../../src/testing/index.ts'
import { argumentsOf, commandsToTry, writeArguments } from '../support/command-arguments.ts'
import { readCsv } from '../support/csv.ts'
import { annals, temporaryFolder } from './annals.ts'

const folder = temporaryFolder()
const demo = join(folder.path, 'demo')
const empty = join(folder.path, 'empty')
const tried = (await commandsToTry()) as readonly Op[]

beforeAll(() => {
  writeDemoRoot(demo, new Date())
  writeArguments(folder.path)
  mkdirSync(join(empty, 'projects'), { recursive: true })
})
afterAll(folder.remove)

describe.each(tried.filter(({ input }) => 'csv' in input.properties).map((op) => [op.name, op] as const))(
  '%s --csv',
  (name, op) => {
    test('is a table: a name for every column, and as many cells in every row', () => {
      const { code, stdout } = annals([name, ...argumentsOf(op, folder.path), '--csv', '--root', demo])
      const [head = [], ...rows] = readCsv(stdout)
      expect(code).toBe(0)
      expect(rows.length).toBeGreaterThan(0)
      expect(new Set(head).size).toBe(head.length)
      expect(head).not.toContain('')
      for (const row of rows) expect(row).toHaveLength(head.length)
    })
  },
)

/** Commands that look for trouble, or tell how things are: to find nothing means nothing else to them. */
const OWN_CODE = new Set(['check', 'doctor', 'archive', 'status'])

describe('on a root without a session', () => {
  test.each(tried.map((op) => [op.name, op] as const))('%s keeps its schema and its exit code', (name, op) => {
    const env = { ANNALS_HOME: join(folder.path, 'home-of-none') }
    const ran = annals([name, ...argumentsOf(op, folder.path), '--root', empty, '--json'], { env })
    expect(ran.stderr).not.toMatch(/This is a bug|\n\s+at /)
    if (ran.stdout === '') {
      // What was named is not there: that is 1, and a sentence.
      expect(ran.code).toBe(1)
      expect(ran.stderr).toMatch(/^[A-Z"/].*[.?:]\n/)
      return
    }
    const { schema, warnings, ...result } = JSON.parse(ran.stdout)
    expect(schema).toBe(`annals/${name}/1`)
    expect([...Value.Errors(op.result, result)]).toEqual([])
    if (!OWN_CODE.has(name)) expect(ran.code).toBe(result.total === 0 ? 1 : 0)
  })
})

describe('what is typed wrong is exit code 2, a sentence, and nothing on stdout', () => {
  test.each(tried.map((op) => [op.name, op] as const))('%s', (name, op) => {
    const isList = op.positional.some((field) => op.input.properties[field]?.type === 'array')
    const tooMany = [...op.positional.map(() => 'x'), 'y']
    const wrong = [
      ['--no-such-flag'],
      ...((op.input.required ?? []).length > 0 ? [[]] : []),
      ...(isList || name === 'archive' || name === 'redact' ? [] : [tooMany]),
    ]
    for (const args of wrong) {
      const { code, stdout, stderr } = annals([name, ...args, '--root', empty])
      expect([args, code, stdout]).toEqual([args, 2, ''])
      expect(stderr).toMatch(/^.+[.?]\n/)
      expect(stderr).not.toMatch(/This is a bug|\n\s+at /)
    }
  })
})
