import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contextOf } from '../src/cli/context.ts'
import { formatSql } from '../src/cli/format/sql.ts'
import { openTemplate } from '../src/cli/template.ts'
import { exporting } from '../src/ops/export.ts'
import { loadAll, opLoaders } from '../src/ops/index.ts'
import { purge } from '../src/ops/purge.ts'
import { close, type EditedRoot, editedRoot } from './support/edited-root.ts'
import { viewOf } from './support/format-sample-parts.ts'

const ops = await loadAll(opLoaders)

const SESSION = 'eeee5555-0000-4000-8000-000000000005'
/** The part of a token that is the same in a path and in the name of a project folder. */
const BODY = 'a1B2c3D4e5F6'.repeat(3)
const TOKEN = `ghp_${BODY}`

let made: EditedRoot
beforeEach(() => {
  made = editedRoot((built) => {
    const cwd = `/work/${TOKEN}/api`
    const row = (n: number) =>
      JSON.stringify({
        type: 'user',
        uuid: `eeee5555-0000-4000-8000-00000000000${n}`,
        parentUuid: null,
        isSidechain: false,
        sessionId: SESSION,
        cwd,
        version: '2.1.325',
        timestamp: `2026-03-02T10:00:0${n}.000Z`,
        message: { role: 'user', content: `question ${n}` },
      })
    built.file(`projects/-work-ghp-${BODY}-api/${SESSION}.jsonl`, `${row(1)}\n${row(2)}\n`)
  })
})
afterEach(() => made.remove())

describe('a secret in the name of a folder', () => {
  test.each(['md', 'html', 'json', 'jsonl', 'csv', 'parquet', 'xml', 'steps', 'bundle'] as const)(
    'is in no byte of %s',
    async (to) => {
      const out = join(made.folder, `out-${to}`)
      mkdirSync(out)
      const context = made.context()
      try {
        await exporting.run(context, { sessions: [SESSION], to, out: `${out}/` } as never)
      } finally {
        close(context)
      }
      const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      expect(files.length).toBeGreaterThan(0)
      for (const one of files) {
        const path = join(one.parentPath, one.name)
        const bytes = readFileSync(path)
        expect(path).not.toContain(BODY)
        expect((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).includes(BODY), path).toBe(false)
      }
    },
  )
})

describe('what a killed import left', () => {
  const LEFT = 'ffff6666-0000-4000-8000-000000000006'
  /** A stage with its note, as a process leaves them that was killed. No process has this number. */
  function killed(folder: string): string {
    const stage = join(folder, '.annals-import-00000000-0000-4000-8000-000000000000')
    mkdirSync(join(stage, 'projects/-p'), { recursive: true })
    writeFileSync(join(stage, `projects/-p/${LEFT}.jsonl`), 'bytes of the session\n')
    mkdirSync(join(made.dataDir, 'drafts'), { recursive: true })
    const note = { path: stage, pid: 4_194_305, procStart: '1' }
    writeFileSync(join(made.dataDir, 'drafts/one.json'), JSON.stringify(note))
    return stage
  }

  test.each(['imports', 'elsewhere'])('is found by purge, though nothing else knows the session: %s', async (where) => {
    const folder = where === 'imports' ? join(made.dataDir, 'imports') : join(made.folder, 'elsewhere')
    const stage = killed(folder)
    const context = made.context()
    try {
      const { removed } = await purge.run(context, { session: LEFT, yes: true })
      expect(removed.map((one) => one.where)).toContain('leftovers')
    } finally {
      close(context)
    }
    expect(existsSync(stage)).toBe(false)
  })

  test('is removed by the next command', () => {
    const stage = killed(join(made.dataDir, 'imports'))
    const before = process.env.ANNALS_HOME
    process.env.ANNALS_HOME = made.dataDir
    try {
      contextOf(ops.doctor, { globals: {}, input: {} } as never, [])
      expect(existsSync(stage)).toBe(true)
      contextOf(ops.sessions, { globals: {}, input: {} } as never, [])
      expect(existsSync(stage)).toBe(false)
    } finally {
      if (before === undefined) delete process.env.ANNALS_HOME
      else process.env.ANNALS_HOME = before
    }
  })
})

test('--format writes no control characters of the template, but those it escapes', () => {
  const write = openTemplate(ops.sessions, '\u001b[31m{id}\u0007\u009b1m\\t|\\0')
  const text = write({ items: [{ id: 'x' }] })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(text).not.toMatch(/[\u0001-\u0008\u000b-\u001f\u007f-\u009f]/)
  expect(text).toMatch(/^x.*\t\|\0$/)
})

test('sql --csv escapes what a spreadsheet would take for a formula, and no number', () => {
  const view = { ...viewOf(), input: { csv: true } }
  const rows = [['=1+1', -1, '+x', '@a', '-2', 'plain', null]]
  const columns = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const lines = formatSql({ columns, rows } as never, view as never)
  expect(lines[1]).toBe("'=1+1,-1,'+x,'@a,'-2,plain,\r")
})
