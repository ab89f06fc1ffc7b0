import { describe, expect, test } from 'vitest'
import { FactsFold } from '../src/core/facts/facts.ts'
import { titleOf } from '../src/core/facts/title.ts'
import type { JsonObject, JsonValue } from '../src/core/json.ts'
import { CheckFold } from '../src/core/log/check-log.ts'
import type { Diagnostic } from '../src/core/log/diagnostic.ts'
import { readLog } from '../src/core/log/log.ts'
import type { LogRecord } from '../src/core/log/record.ts'
import { ToolFold } from '../src/core/tools/tool-fold.ts'
import { UseFold } from '../src/core/tools/uses.ts'
import { itemsOf, promptOf } from '../src/core/tree/items.ts'
import type { TreeNode } from '../src/core/tree/node.ts'
import { buildTree, type Tree } from '../src/core/tree/tree.ts'
import { countRows, cutTurns } from '../src/core/tree/turns.ts'
import { UsageFold } from '../src/core/usage/usage-fold.ts'
import { log } from '../src/testing/index.ts'
import { LOSSY, lossyBytes, NOT_JSON, OBJECTS, OTHER_VALUES } from './json-lines.ts'

const FILE = '/logs/s.jsonl'
const encode = (text: string) => new TextEncoder().encode(text)
const line = (row: JsonValue) => `${JSON.stringify(row)}\n`
const read = (input: string | Uint8Array) => readLog(typeof input === 'string' ? encode(input) : input, FILE)
const raws = (records: readonly LogRecord[]) => records.map((record) => record.raw)
const codes = (diagnostics: readonly Diagnostic[]) => diagnostics.map((d) => d.code)
const joined = (...parts: readonly (string | Uint8Array)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))

/** Every byte has one owner, every diagnostic points into the file. */
function expectAccounted({ records, diagnostics, totals }: ReturnType<typeof readLog>, size: number) {
  const { recordBytes, diagnosticBytes, separatorBytes, pendingBytes } = totals
  expect(recordBytes + diagnosticBytes + separatorBytes + pendingBytes).toBe(size)
  const owned = [...records, ...diagnostics.filter((d) => !d.salvaged)].map((owner) => owner.place)
  owned.sort((a, b) => a.offset - b.offset)
  owned.forEach((place, i) => {
    const before = owned[i - 1]
    expect(place.offset).toBeGreaterThanOrEqual(before ? before.offset + before.length : 0)
  })
  for (const { place, message } of diagnostics) {
    expect(place).toMatchObject({ file: FILE })
    expect(place.offset + place.length).toBeLessThanOrEqual(size)
    expect(message).not.toBe('')
  }
}

/** All that is ever made of a log; what matters is that it ends. */
function throughEverything(input: string | Uint8Array) {
  const contents = read(input)
  const facts = new FactsFold()
  const check = new CheckFold(FILE)
  const uses = new UseFold()
  const tools = new ToolFold(() => true)
  for (const record of contents.records) {
    facts.add(record)
    check.record(record, encode(''))
    uses.add(record)
    tools.add(record)
  }
  const gathered = facts.facts()
  const rows = new Map(contents.records.map((record) => [record.place.offset, record.raw]))
  const tree = buildTree(gathered.nodes, { file: FILE, leaf: gathered.leaf })
  const nodeAt = (i: number) => tree.nodes[i] as TreeNode
  const reader = {
    row: (node: TreeNode) => rows.get(node.offset),
    answer: (id: string) => rows.get(tree.nodes.find((n) => n.toolResults.some((r) => r.id === id))?.offset ?? -1),
  }
  const turns = tree.branches.flatMap((branch) => cutTurns(tree, branch.rows))
  const shown = turns.map((turn) => ({
    prompt: turn.prompt === undefined ? null : promptOf(nodeAt(turn.prompt), turn.rows.map(nodeAt), reader),
    items: itemsOf(turn.rows.map(nodeAt), reader),
  }))
  const usage = new UsageFold()
  for (const row of gathered.usage) usage.add(row)
  const checked = check.result()
  const counts = countRows(tree)
  const title = titleOf(gathered)
  return {
    contents,
    facts: gathered,
    tree,
    turns,
    shown,
    usage: usage.total(),
    checked,
    counts,
    title,
    tools: tools.calls(),
  }
}

function expectAllReachable(tree: Tree) {
  const reached = new Set([...tree.branches.flatMap((b) => b.rows), ...tree.sidechains.flatMap((s) => s.rows)])
  expect(reached.size).toBe(tree.nodes.length)
  const isLoop = [...tree.parents.keys()].some((i) => {
    let steps = 0
    for (let at = i; at !== -1 && steps <= tree.nodes.length; at = tree.parents[at] as number) steps++
    return steps > tree.nodes.length
  })
  expect(isLoop).toBe(false)
}

let rowNumber = 0
const row = (fields: JsonObject): JsonObject => ({
  type: 'user',
  uuid: `row-${++rowNumber}`,
  parentUuid: null,
  isSidechain: false,
  timestamp: '2026-03-02T09:00:00.000Z',
  sessionId: 's',
  message: { role: 'user', content: `prompt ${rowNumber}` },
  ...fields,
})

const FIRST = '{"first":1}'
const LAST = '{"last":1}'

describe('P1: a line is accepted or rejected as JSON.parse does', () => {
  const between = (text: string | Uint8Array) => {
    const input = joined(`${FIRST}\n`, text, `\n${LAST}\n`)
    const contents = read(input)
    expectAccounted(contents, input.length)
    expect(contents.records.at(0)).toMatchObject({ raw: { first: 1 }, place: { line: 1, offset: 0, length: 11 } })
    const last = { line: 3, offset: input.length - 11, length: 10 }
    expect(contents.records.at(-1)).toMatchObject({ raw: { last: 1 }, place: last })
    return { records: contents.records.slice(1, -1), diagnostics: contents.diagnostics }
  }

  test.each(OBJECTS)('one record: %s', (_, text) => {
    const { records, diagnostics } = between(text)
    expect(diagnostics).toEqual([])
    expect(raws(records)).toEqual([JSON.parse(text)])
    expect(records[0]?.salvaged).toBeUndefined()
    const trimmed = text.trim()
    expect(records[0]?.place).toEqual({
      file: FILE,
      line: 2,
      offset: 12 + encode(text).indexOf(0x7b),
      length: encode(trimmed).length,
    })
  })

  test.each(OTHER_VALUES)('no object: %s', (_, text) => {
    const { records, diagnostics } = between(text)
    expect(() => JSON.parse(text)).not.toThrow()
    expect(records).toEqual([])
    expect(codes(diagnostics)).toEqual(['NOT_AN_OBJECT'])
    expect(diagnostics[0]).toMatchObject({ salvaged: false, place: { line: 2, length: text.trim().length } })
  })

  test.each(NOT_JSON)('rejected: %s', (_, text) => {
    const { diagnostics } = between(text)
    expect(() => JSON.parse(text)).toThrow()
    expect(diagnostics.length).toBeGreaterThan(0)
    for (const { place } of diagnostics) {
      expect(place.line).toBe(2)
      expect(place.offset).toBeGreaterThanOrEqual(12)
      expect(place.offset + place.length).toBeLessThanOrEqual(12 + encode(text).length)
    }
  })

  test.each(LOSSY)('P10: kept with U+FFFD and told, not UTF-8: %s', (_, text) => {
    const bytes = lossyBytes(text)
    const { records, diagnostics } = between(bytes)
    expect(raws(records)).toEqual([JSON.parse(new TextDecoder().decode(bytes))])
    expect(JSON.stringify(records[0]?.raw)).toContain('\ufffd')
    expect(diagnostics).toMatchObject([
      { code: 'LOSSY_UTF8', salvaged: true, place: { line: 2, offset: 12, length: bytes.length } },
    ])
  })
})

test('P2: a half-written last line is pending and no error, whatever byte it ends at', () => {
  const whole = encode(line(row({ message: { role: 'user', content: [{ type: 'text', text: 'é😀 "x" \\ }{' }] } })))
  for (let cut = 0; cut < whole.length - 1; cut++) {
    const contents = read(joined(`${FIRST}\n`, whole.subarray(0, cut)))
    expect(raws(contents.records)).toEqual([{ first: 1 }])
    expect(contents.diagnostics).toEqual([])
    expect(contents.totals).toMatchObject({ pendingBytes: cut, endOffset: 12, endLine: 1 })
  }
})

test('P3: a bad line at any position of 200 costs that line only', () => {
  const good = Array.from({ length: 200 }, (_, i) => `{"n":${i}}`)
  for (let at = 0; at < good.length; at++) {
    const lines = good.with(at, '{"n":tru')
    const contents = read(`${lines.join('\n')}\n`)
    expect(contents.records).toHaveLength(199)
    expect(contents.records.map((r) => r.raw.n)).toEqual([...good.keys()].filter((n) => n !== at))
    const offset = lines.slice(0, at).join('\n').length + (at === 0 ? 0 : 1)
    expect(contents.diagnostics).toMatchObject([
      { code: 'TORN', salvaged: false, place: { line: at + 1, offset, length: 8 } },
    ])
    expectAccounted(contents, lines.join('\n').length + 1)
  }
})

const billed = (id: string, usage: string) =>
  `{"type":"assistant","uuid":"${id}","requestId":"r${id}","message":{"id":"${id}","model":"m","stop_reason":"end_turn","content":[],"usage":${usage}}}\n`

describe('P13: numbers no double can hold', () => {
  test.each(['1e400', '-1e400', '-0', '-5', '9007199254740993', '1e300', 'null', '"7"', '[7]', '{}', 'true'])(
    '%s tokens count as none',
    (n) => {
      const odd = `{"input_tokens":${n},"output_tokens":${n},"cache_read_input_tokens":${n},"cache_creation_input_tokens":${n},"cache_creation":{"ephemeral_1h_input_tokens":${n}},"server_tool_use":{"web_search_requests":${n}}}`
      const { usage } = throughEverything(billed('a', odd) + billed('b', '{"input_tokens":2,"output_tokens":3}'))
      const none = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, webSearches: 0 }
      expect(usage).toEqual({ responses: 2, inputTokens: 2, outputTokens: 3, ...none })
    },
  )

  test('sums stay safe integers', () => {
    const most = `{"input_tokens":${Number.MAX_SAFE_INTEGER},"output_tokens":1}`
    const { usage } = throughEverything(billed('a', most) + billed('b', most))
    expect(Number.isSafeInteger(usage.inputTokens)).toBe(true)
  })

  test('half a token counts as none', () => {
    expect(throughEverything(billed('a', '{"input_tokens":1.5}')).usage.inputTokens).toBe(0)
  })
})

describe('P14: names that every object has', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', ''])('"%s"', (name) => {
    const key = JSON.stringify(name)
    const evil = `{${key}:{"polluted":true,"type":"user"},"type":"mode"}\n`
    const typed = `{"type":${key},"subtype":${key},"uuid":${key},"parentUuid":${key}}\n`
    const called = row({
      type: 'assistant',
      parentUuid: name,
      message: {
        id: name,
        model: name,
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${name}`, name, input: {} }],
      },
    })
    const answered = row({
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${name}`, content: 'ok' }] },
    })
    const system = row({ type: 'system', subtype: name, version: name, content: 'x' })
    const result = throughEverything(evil + typed + line(called) + line(answered) + line(system))
    expect(({} as JsonObject).polluted).toBeUndefined()
    expect((Object.prototype as JsonObject).type).toBeUndefined()
    expect(result.facts.types).toContain(name)
    expect(result.checked.types.get(name)).toBe(1)
    expect(result.tools).toMatchObject([{ name, id: `t${name}`, isError: false }])
    expect(result.shown.flatMap((turn) => turn.items)).toContainEqual(
      expect.objectContaining({ kind: 'tool', name, result: 'ok' }),
    )
    expect(result.checked.drift.some((d) => d.kind === 'UNKNOWN_TYPE' && d.type === name)).toBe(true)
    expectAllReachable(result.tree)
  })
})

test('P15: a hundred thousand levels overflow nothing', () => {
  const deep = (open: string, inner: string, close: string) => open.repeat(100_000) + inner + close.repeat(100_000)
  for (const value of [deep('[', '', ']'), deep('{"a":', '1', '}'), deep('[{"content":', '1', '}]')]) {
    const user = `{"type":"user","uuid":"u","toolUseResult":${value},"message":{"role":"user","content":${value}}}\n`
    const call = `{"type":"assistant","uuid":"v","parentUuid":"u","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":${value}},{"type":"x","x":${value}}],"usage":${value}}}\n`
    const { contents, tree } = throughEverything(`${user}${call}${value}\n{"type":${value.slice(0, -1)}\n`)
    expect(contents.records.filter((r) => r.type !== undefined)).toHaveLength(2)
    expect(tree.nodes).toHaveLength(2)
  }
})

describe('P18: parents that lead back to themselves', () => {
  const ring = (uuids: readonly string[]) =>
    uuids.map((uuid, i) => row({ uuid, parentUuid: uuids[(i + 1) % uuids.length] as string }))
  const many = Array.from({ length: 1000 }, (_, i) => `n${i}`)
  const cases: [string, readonly JsonObject[], number][] = [
    ['itself', [row({ uuid: 'a', parentUuid: 'a' })], 1],
    ['two', ring(['a', 'b']), 1],
    ['a thousand', ring(many), 1],
    ['two rings', [...ring(['a', 'b', 'c']), ...ring(['x', 'y'])], 2],
    [
      'a ring with a tail',
      [...ring(['a', 'b']), row({ uuid: 'c', parentUuid: 'a' }), row({ uuid: 'd', parentUuid: 'c' })],
      1,
    ],
    [
      'closed by a uuid that stands twice',
      [
        row({ uuid: 'a', parentUuid: 'c' }),
        row({ uuid: 'b', parentUuid: 'a' }),
        row({ uuid: 'a', parentUuid: 'b' }),
        row({ uuid: 'c', parentUuid: 'a' }),
      ],
      1,
    ],
    [
      'by a logical parent',
      [
        row({ type: 'system', subtype: 'compact_boundary', uuid: 'a', logicalParentUuid: 'b' }),
        row({ uuid: 'b', parentUuid: 'a' }),
      ],
      1,
    ],
  ]
  test.each(cases)('%s', (_, rows, rings) => {
    const { tree } = throughEverything(rows.map(line).join(''))
    expectAllReachable(tree)
    expect(tree.diagnostics.filter((d) => d.code === 'PARENT_CYCLE')).toHaveLength(rings)
    expect(tree.branches.filter((branch) => branch === tree.active)).toHaveLength(1)
  })
})

test('P19: rows whose parent is missing are all reachable, hung on the row before, and marked', () => {
  const rows = Array.from({ length: 50 }, (_, i) =>
    row({ uuid: `m${i}`, parentUuid: i % 5 === 0 ? `lost${i}` : `m${i - 1}` }),
  )
  const { tree } = throughEverything(rows.map(line).join(''))
  expectAllReachable(tree)
  expect([...tree.parents]).toEqual(rows.map((_, i) => i - 1))
  expect(tree.attachedBy.flatMap((how, i) => (how === 'missing' ? [i] : []))).toEqual([
    0, 5, 10, 15, 20, 25, 30, 35, 40, 45,
  ])
  expect(codes(tree.diagnostics)).toEqual(Array(10).fill('MISSING_PARENT'))
  expect(tree.diagnostics[1]).toMatchObject({
    place: { file: FILE, line: 6 },
    message: expect.stringContaining('lost5'),
  })
})

describe('P20: a uuid that stands twice', () => {
  const first = row({ uuid: 'one', message: { role: 'user', content: 'first words' } })
  const other = row({ uuid: 'one', message: { role: 'user', content: 'other words' } })

  test('the same row again is folded', () => {
    const { tree, counts, turns } = throughEverything(line(first) + line(first))
    expectAllReachable(tree)
    expect(tree.diagnostics).toEqual([])
    expect(counts).toMatchObject({ prompts: 1, rows: 1, turns: 1 })
    expect(turns).toHaveLength(1)
  })

  test('another row under the same uuid is told', () => {
    const { tree } = throughEverything(line(first) + line(other))
    expectAllReachable(tree)
    expect(tree.diagnostics).toMatchObject([{ code: 'DUPLICATE_UUID', place: { line: 2 }, salvaged: true }])
  })

  test('another row under the same uuid is shown', () => {
    const { shown } = throughEverything(line(first) + line(other))
    expect(shown.map((turn) => turn.prompt?.text)).toEqual(['first words', 'other words'])
  })

  test('another tool result under the same uuid is told', () => {
    const result = (id: string) =>
      row({ uuid: 'one', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: id }] } })
    expect(codes(throughEverything(line(result('t1')) + line(result('t2'))).tree.diagnostics)).toEqual([
      'DUPLICATE_UUID',
    ])
  })

  test('usage of the same response is counted once', () => {
    const response = billed('a', '{"input_tokens":2,"output_tokens":3}')
    expect(throughEverything(response + response).usage).toMatchObject({
      responses: 1,
      inputTokens: 2,
      outputTokens: 3,
    })
  })

  test('an answer with the uuid of its prompt is kept', () => {
    const answer = row({ type: 'assistant', uuid: 'one', parentUuid: 'one', message: { id: 'one', content: [] } })
    expectAllReachable(throughEverything(line(first) + line(answer)).tree)
  })
})

describe('P21: times that are none', () => {
  const times = [
    '2026-03-02T09:05:00.000Z',
    '2026-03-02T09:01:00.000Z',
    5,
    null,
    '',
    'soon',
    {},
    '2026-03-02T09:03:00.000Z',
  ]
  const rows = times.map((timestamp, i) => row({ uuid: `t${i}`, parentUuid: i === 0 ? null : `t${i - 1}`, timestamp }))
  const { timestamp: _, ...timeless } = row({ uuid: 'u', parentUuid: 't7' })

  test('rows stay in file order and the first and last of them that tell a time count', () => {
    const { tree, facts } = throughEverything([...rows, timeless].map(line).join(''))
    expect(tree.active?.rows).toEqual([...rows.keys(), rows.length])
    expect(facts).toMatchObject({ firstAt: '2026-03-02T09:05:00.000Z', lastAt: '2026-03-02T09:03:00.000Z' })
  })

  test.each(['2026-13-45T99:99:99.000Z', '9999-99-99T99:99', '2027-03-02T09:00 or so'])(
    'no such time: %s',
    (timestamp) => {
      const { facts } = throughEverything(line(row({})) + line(row({ timestamp })))
      expect(facts.lastAt).toBe('2026-03-02T09:00:00.000Z')
    },
  )

  test('bad times are told', () => {
    const { checked } = throughEverything(rows.map(line).join(''))
    expect(codes(checked.diagnostics)).toContain('BAD_TIMESTAMP')
  })
})

describe('P22: fields of any shape', () => {
  const made = log({ version: '2.1.325' })
    .user('Look at this.')
    .assistant('Yes.', { thinking: 'Hm.' })
    .tool('Bash', { command: 'ls' }, { output: 'a\nb' })
    .subagent({ description: 'Count', prompt: 'Count it.', result: '3' })
    .command('review', { args: 'all', expansion: 'Review all.' })
    .queued('And this.')
    .compact({ summary: 'We looked.' })
    .user('Go on.')
    .assistant('Done.')
    .rows()
  const shapes: readonly (JsonValue | undefined)[] = [
    null,
    7,
    -1,
    'text',
    '',
    true,
    [],
    [null, 1, 'x', [], {}],
    {},
    { '0': 'a', type: 'text' },
    undefined,
  ]

  /** Every way to put another shape at one path of a row, three levels deep. */
  function* bent(value: JsonObject, depth = 0): Generator<JsonObject> {
    for (const key of Object.keys(value)) {
      for (const shape of shapes) yield { ...value, [key]: shape }
      const inner = value[key]
      if (depth >= 5) continue
      if (Array.isArray(inner)) {
        for (const [i, item] of inner.entries()) {
          if (typeof item !== 'object' || item === null || Array.isArray(item)) continue
          for (const other of bent(item as JsonObject, depth + 1)) yield { ...value, [key]: inner.with(i, other) }
        }
      } else if (typeof inner === 'object' && inner !== null) {
        for (const other of bent(inner as JsonObject, depth + 1)) yield { ...value, [key]: other }
      }
    }
  }

  test.each(['user', 'assistant', 'system', 'attachment', 'last-prompt', 'file-history-snapshot', 'cost-state'])(
    '%s rows',
    (type) => {
      const lines = made.map(line)
      let tried = 0
      made.forEach((original, i) => {
        if (original.type !== type) return
        for (const other of bent(original)) {
          // The neighbours keep the row in its conversation; all of them each time would take minutes.
          const around = lines.slice(Math.max(0, i - 2), i).concat(line(other), lines.slice(i + 1, i + 3))
          const { tree, contents } = throughEverything(around.join(''))
          expect(contents.diagnostics).toEqual([])
          expectAllReachable(tree)
          tried++
        }
      })
      if (type !== 'cost-state') expect(tried).toBeGreaterThan(20)
    },
  )

  test('rows of unknown types are kept, counted and told', () => {
    const { contents, checked, facts } = throughEverything(
      line({ type: 'novel', x: [1] }) + line({ type: 5 }) + line({}),
    )
    expect(contents.records).toMatchObject([
      { kind: 'unknown', type: 'novel', raw: { x: [1] } },
      { kind: 'unknown', type: undefined },
      { kind: 'unknown', type: undefined },
    ])
    expect(facts.types).toEqual(['novel', 'none'])
    expect(checked.drift.map((d) => [d.kind, d.type])).toContainEqual(['UNKNOWN_TYPE', 'novel'])
  })
})

test('P23: kinds newer than we know do not stop the reading', () => {
  const lines = [
    row({ uuid: 'a' }),
    { type: 'file-history-delta', messageId: 'a' },
    { type: 'file-history-omega', uuid: 'o', parentUuid: 'a' },
    row({ uuid: 'b', parentUuid: 'o' }),
  ]
  const { tree, facts } = throughEverything(lines.map(line).join(''))
  expect(facts.types).toEqual(['user', 'file-history-delta', 'file-history-omega'])
  expectAllReachable(tree)
  expect(tree.active?.rows).toEqual([0, 1])
})
