import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { callsAnswered, callsMade } from '../src/core/facts/call-rows.ts'
import { textKey } from '../src/core/facts/row-key.ts'
import { objectsAt, stringAt } from '../src/core/json.ts'
import type { LogRecord } from '../src/core/log/record.ts'
import { timeOf } from '../src/core/time.ts'
import { nodeOf } from '../src/core/tree/node.ts'
import { diskSource } from '../src/disk/disk-source.ts'
import { readLogFile } from '../src/disk/log-file.ts'
import type { Source, SourceEntry } from '../src/disk/source.ts'
import { readTexts } from '../src/index/text.ts'
import type { TextBatch } from '../src/index/text-batch.ts'
import { writeDemoRoot } from '../src/testing/demo-root.ts'
import { generateRoot } from '../src/testing/generate-root.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-calls-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Placed = Pick<TextBatch, 'calls' | 'places'>

/** What is told of one record, by its definition. */
function toldBy(record: LogRecord): Placed {
  const { raw, type, place } = record
  const { line, offset, length } = place
  const time = Date.parse(timeOf(stringAt(raw, 'timestamp') ?? '') ?? '')
  const row = { doc: -1, line, offset, length, time: Number.isNaN(time) ? null : time }
  const node = nodeOf(record)
  const spoken = node && {
    time: row.time,
    key: node.uuid === '' ? null : textKey(node.uuid),
    parent: node.parent === null ? null : textKey(node.parent),
    isSidechain: node.isSidechain,
    isFork: node.forkedFrom !== null,
    isCustom: node.command?.isCustom ?? false,
  }
  const isOther = /^(?:response|synthetic|tool-result|attachment|progress|system)$/.test(node?.kind ?? 'system')
  const places = [
    ...(node && spoken && !isOther ? [{ kind: node.kind, row: spoken }] : []),
    ...(node && objectsAt(raw, 'todos').length > 0 ? [{ kind: 'todos', row: null }] : []),
    ...(type?.startsWith('file-history-') ? [{ kind: 'checkpoint', row: null }] : []),
  ]
  return {
    calls: [
      ...callsMade(record).map((one, i) => ({
        ...one,
        ...row,
        what: 'call' as const,
        id: one.id || `:${offset}:${i}`,
      })),
      ...callsAnswered(record).map((one) => ({ ...one, ...row, what: 'answer' as const })),
    ],
    places: places.map((one) => ({ ...one, line, offset, length })),
  }
}

function byDefinition(source: Source, entry: SourceEntry): Placed {
  const told: Placed[] = []
  readLogFile(source, entry, { record: (record) => told.push(toldBy(record)) })
  return { calls: told.flatMap(({ calls }) => calls), places: told.flatMap(({ places }) => places) }
}

function bySkim(source: Source, entry: SourceEntry): Placed {
  const batches: TextBatch[] = []
  for (let from = { offset: 0, line: 0 }; ; from = batches.at(-1)?.end ?? from) {
    const batch = readTexts(source, { entry, from, to: entry.sizeBytes }, { makes: 'calls' })
    if (batch) batches.push(batch)
    if (!batch || batch.isEnd) break
  }
  return { calls: batches.flatMap(({ calls }) => calls), places: batches.flatMap(({ places }) => places) }
}

/** Compares what every log below a folder tells of calls and places with their definition; gives how many of each there are. */
function compareAll(dir: string): { readonly calls: number; readonly places: number } {
  const source = diskSource([dir], { include: (path) => path.endsWith('/') || path.endsWith('.jsonl') })
  const counts = { calls: 0, places: 0 }
  for (const entry of source.list()) {
    const told = byDefinition(source, entry)
    expect(bySkim(source, entry), entry.path).toEqual(told)
    counts.calls += told.calls.length
    counts.places += told.places.length
  }
  return counts
}

test('rows tell the same of calls and answers by skim as by their definition', () => {
  writeDemoRoot(join(folder, 'demo'), new Date('2026-11-15T12:00:00.000Z'))
  const demo = compareAll(join(folder, 'demo'))
  expect(demo.calls).toBeGreaterThan(50)
  expect(demo.places).toBeGreaterThan(20)
  generateRoot(join(folder, 'generated'), { bytes: 4 << 20 })
  expect(compareAll(join(folder, 'generated', 'projects')).calls).toBeGreaterThan(100)
})

test('odd rows tell what they hold', () => {
  const at = { timestamp: '2026-11-01T10:00:00.000Z', uuid: '00000000-0000-4000-8000-000000000001' }
  const assistant = (...content: object[]) => ({
    type: 'assistant',
    ...at,
    message: { id: 'm', role: 'assistant', content },
  })
  const user = (content: unknown, more: object = {}) => ({
    type: 'user',
    ...at,
    message: { role: 'user', content },
    ...more,
  })
  const answer = (id: string, content: unknown) => [{ type: 'tool_result', tool_use_id: id, content }]
  const rows = [
    assistant({ type: 'tool_use', id: 'a', name: 'Read', input: {} }),
    assistant(
      { type: 'tool_use', id: 'b', name: 'Edit', input: { file_path: '/b.ts' } },
      { type: 'tool_use', id: 'c', name: 'Write', input: { path: '/no', file_path: '/c.ts' } },
    ),
    assistant(
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', name: 'Bash', input: {} },
    ),
    assistant(
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'web_search_result', title: 't' }] },
    ),
    user(answer('a', ''), { toolUseResult: '' }),
    user(answer('b', 'grün \ud83d\ude00 \u0001 "q" \\ \ud800 €\n'), {
      toolUseResult: { structuredPatch: [{ lines: ['+1', '-2', ' 3', '+4'] }], durationMs: 12.5 },
    }),
    user(answer('c', [{ type: 'text', text: 'é' }, { type: 'image' }, { type: 'text', text: 'b' }]), {
      toolUseResult: { type: 'create', content: 'one\ntwo\n', structuredPatch: [] },
    }),
    user('do it', { todos: [{ content: 'x', status: 'pending' }] }),
  ]
  const dir = join(folder, 'odd')
  mkdirSync(dir)
  writeFileSync(join(dir, 'odd.jsonl'), `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
  compareAll(dir)
  const source = diskSource([dir], { include: () => true })
  const { calls } = bySkim(source, [...source.list()][0] as SourceEntry)
  const told = calls.map((one) =>
    one.what === 'call' ? [one.id, one.tool, one.path] : [one.id, one.resultBytes, one.tookMs, one.added, one.removed],
  )
  const third = rows.slice(0, 2).reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)) + 1, 0)
  expect(told).toEqual([
    ['a', 'Read', null],
    ['b', 'Edit', '/b.ts'],
    ['c', 'Write', '/c.ts'],
    [`:${third}:0`, 'Bash', null],
    [`:${third}:1`, 'Bash', null],
    ['s', 'web_search', null],
    ['s', 0, null, null, null],
    ['a', 0, null, null, null],
    // "grün" 5, a space, a picture of 4, " \u0001 " 3, "\"q\"" 3, " \\ " 3, what stands for half a character 3, " €\n" 5.
    ['b', 27, 12.5, 2, 1],
    ['c', 4, null, 2, 0],
  ])
})

const real = corpus('2.1.325')
test.skipIf(!real)(
  `real logs tell the same of calls and answers by skim as by their definition${real ? '' : WITHOUT_CORPUS}`,
  { timeout: 0 },
  () => {
    expect(compareAll(real as string).calls).toBeGreaterThan(1_000)
  },
)
