import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import { FactsFold } from '../facts/facts.ts'
import type { JsonObject } from '../json.ts'
import { humanText, textOf } from '../log/content.ts'
import { readLog } from '../log/log.ts'
import { nodeOf } from './node.ts'
import { buildTree, type Tree, type TreeOptions } from './tree.ts'

/** The tree of some rows, and what is said on each of its branches. */
function grow(bytes: Uint8Array, options: TreeOptions = {}) {
  const fold = new FactsFold()
  const { records } = readLog(bytes)
  for (const record of records) fold.add(record)
  const facts = fold.facts()
  const tree = buildTree(facts.nodes, { leaf: facts.leaf, ...options })
  const rows = new Map(records.map((record) => [record.place.offset, record.raw]))
  const words = (indexes: readonly number[]) =>
    indexes.flatMap((i) => {
      const node = tree.nodes[i]
      const raw = rows.get(node?.offset ?? -1) ?? {}
      if (node?.kind === 'prompt') return [humanText(raw)]
      return node?.kind === 'response' && textOf(raw) ? [textOf(raw)] : []
    })
  const said = tree.branches.map((branch) => words(branch.rows).join(' '))
  return { tree, said, active: tree.active && said[tree.branches.indexOf(tree.active)], words }
}

const ofRows = (rows: readonly JsonObject[]) =>
  grow(new TextEncoder().encode(rows.map((r) => JSON.stringify(r)).join('\n')))

function expectWhole(tree: Tree) {
  const reached = new Set([...tree.branches.flatMap((b) => b.rows), ...tree.sidechains.flatMap((s) => s.rows)])
  expect(reached.size).toBe(tree.nodes.length)
  for (const { rows } of [...tree.branches, ...tree.sidechains])
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b))
}

describe('the active branch', () => {
  const user = (uuid: string, parentUuid: string | null, more: JsonObject = {}) => ({
    type: 'user',
    uuid,
    parentUuid,
    message: { role: 'user', content: uuid },
    ...more,
  })
  const answer = (uuid: string, parentUuid: string) => ({
    type: 'assistant',
    uuid,
    parentUuid,
    message: { id: uuid, model: 'm', content: [{ type: 'text', text: uuid }] },
  })
  const leaf = (leafUuid: string | null, more: JsonObject = {}) => ({ type: 'last-prompt', leafUuid, ...more })
  const set = (leafUuid: string | null) => leaf(leafUuid, { explicit: true })
  const ZEROS = '00000000-0000-0000-0000-000000000000'
  const parted = [
    user('p1', null),
    answer('a1', 'p1'),
    user('p2', 'a1'),
    answer('a2', 'p2'),
    user('p3', 'a1'),
    answer('a3', 'p3'),
  ]
  const [old, young] = ['p1 a1 p2 a2', 'p1 a1 p3 a3']

  test.each<[string, readonly JsonObject[], string | undefined]>([
    ['without a leaf, the one with the last row', parted, young],
    ['a leaf that is only noted is ignored', [...parted, leaf('a2')], young],
    ['the one with the leaf that was set', [...parted, set('a2')], old],
    ['of two that were set the newer', [...parted, set('a3'), set('a2')], old],
    ['one that was noted later takes nothing back', [...parted, set('a2'), leaf('a3')], old],
    ['one that was set before the last row does not count', [...parted, set('a2'), user('p4', 'a3')], `${young} p4`],
    [
      'one set before a row of the client',
      [...parted, set('a2'), { type: 'system', uuid: 's', parentUuid: 'a3' }],
      young,
    ],
    ['of those that were set the newest that is in the log', [...parted, set('a2'), set('elsewhere')], old],
    ['one without a row', [...parted, set('a2'), set(null)], old],
    ['zeros: all of it was taken back', [...parted, set(ZEROS)], undefined],
    ['zeros behind the prompt that followed a rewind', [...parted, user('p4', 'a2'), set(ZEROS)], `${old} p4`],
    ['zeros before the prompt that followed a rewind', [...parted, set(ZEROS), user('p4', 'a2')], `${old} p4`],
    ['one on the common part: what followed was left', [...parted, set('a1')], 'p1 a1'],
    ['one that nothing hangs beside: what followed was left', [...parted, set('p3')], 'p1 a1 p3'],
    ['one that is not in the log', [...parted, set('elsewhere')], young],
    ['a last-prompt row of old, without a leaf', [...parted, { type: 'last-prompt', lastPrompt: 'x' }], young],
    ['one of a sidechain', [...parted, user('side', null, { isSidechain: true }), set('side')], young],
    ['a later row of a sidechain', [...parted, user('side', 'a2', { isSidechain: true })], young],
    [
      'a later row that no one said',
      [...parted, { type: 'system', subtype: 'turn_duration', uuid: 's', parentUuid: 'a2' }],
      young,
    ],
  ])('%s', (_, rows, expected) => {
    const { active, tree } = ofRows(rows)
    expect(active).toBe(expected)
    expectWhole(tree)
  })

  test('what was left behind is a branch of its own', () => {
    const { tree } = ofRows([...parted.slice(0, 4), set('a1')])
    const paths = tree.branches.map(({ rows }) => rows.map((row) => tree.nodes[row]?.uuid).join(' '))
    expect(paths).toEqual(['p1 a1', 'p1 a1 p2 a2'])
    expect(tree.branches[1]).toMatchObject({ from: 1, ownRows: [2, 3] })
  })

  test('is undefined where no one said anything', () => {
    expect(ofRows([]).tree).toMatchObject({ active: undefined, branches: [] })
    expect(ofRows([leaf('x')]).tree.active).toBeUndefined()
  })

  test('its leaf is the last row that someone said', () => {
    const { tree } = ofRows([...parted, { type: 'system', uuid: 's', parentUuid: 'a3' }])
    expect(tree.nodes[tree.active?.leaf ?? -1]?.uuid).toBe('a3')
  })
})

describe('any parents at all', () => {
  const TYPES = ['user', 'user', 'assistant', 'system', 'attachment', 'progress'] as const
  const anyRow = fc.record({
    type: fc.constantFrom(...TYPES),
    uuid: fc.integer({ min: -1, max: 30 }),
    parent: fc.integer({ min: -2, max: 33 }),
    logical: fc.option(fc.integer({ min: 0, max: 33 }), { freq: 5 }),
    isSidechain: fc.boolean(),
    kind: fc.constantFrom('prompt', 'result', 'boundary', 'meta', 'interrupt'),
  })
  type AnyRow = typeof anyRow extends fc.Arbitrary<infer T> ? T : never
  const contents = {
    prompt: 'hi',
    meta: 'hi',
    interrupt: [{ type: 'text', text: '[Request interrupted by user]' }],
    boundary: 'x',
    result: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }],
  }
  const toRow = ({ type, uuid, parent, logical, isSidechain, kind }: AnyRow): JsonObject => ({
    type,
    ...(uuid >= 0 && { uuid: `u${uuid}` }),
    parentUuid: parent < 0 ? null : `u${parent}`,
    ...(logical !== null && { logicalParentUuid: `u${logical}` }),
    isSidechain,
    ...(kind === 'meta' && { isMeta: true }),
    ...(kind === 'boundary' && { subtype: 'compact_boundary' }),
    message: { id: `m${uuid}`, model: 'm', content: contents[kind] },
  })

  test('every row is on a branch or a sidechain, branches are sorted, one of them is active', () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 40 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 33 }),
        (rows, isAgent, leaf) => {
          const bytes = new TextEncoder().encode(rows.map((r) => JSON.stringify(toRow(r))).join('\n'))
          const { tree } = grow(bytes, { isAgent, leaf: `u${leaf}` })
          expectWhole(tree)
          const hasSaid = rows.some((r) => (isAgent || !r.isSidechain) && (r.type === 'user' || r.type === 'assistant'))
          expect(tree.branches.filter((branch) => branch === tree.active)).toHaveLength(
            tree.branches.length > 0 ? 1 : 0,
          )
          if (hasSaid) expect(tree.active).toBeDefined()
          for (const { leaf: last, rows: all, ownRows } of tree.branches) {
            expect(all).toContain(last)
            expect(all).toEqual(expect.arrayContaining([...ownRows]))
          }
          expect(grow(bytes, { isAgent, leaf: `u${leaf}` }).tree).toEqual(tree)
          // Every chain of parents ends.
          for (const i of tree.parents.keys()) {
            let steps = 0
            for (let at = i; at !== -1 && steps <= rows.length; at = tree.parents[at] as number) steps++
            expect(steps).toBeLessThanOrEqual(rows.length)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })

  const [template] = readLog(log({ attachments: false }).user('x').content()).records.flatMap(
    (row) => nodeOf(row) ?? [],
  )
  const manyNodes = (count: number, parentOf: (i: number) => number) =>
    Array.from({ length: count }, (_, i) => ({
      ...(template as NonNullable<typeof template>),
      uuid: `n${i}`,
      parent: parentOf(i) < 0 ? null : `n${parentOf(i)}`,
      offset: i,
    }))

  test.each<[string, (i: number) => number]>([
    ['a chain', (i) => i - 1],
    ['all under one', () => 0],
    ['all roots', () => -1],
    ['a chain written backwards', (i) => i + 1],
    ['scattered', (i) => (i * 7919) % 100_003],
    ['one ring', (i) => (i + 1) % 100_000],
  ])('a hundred thousand rows come to an end: %s', (_, parentOf) => {
    const tree = buildTree(manyNodes(100_000, parentOf))
    const reached = new Uint8Array(100_000)
    for (const { rows } of tree.branches) for (const i of rows) reached[i] = 1
    expect(reached.every((seen) => seen === 1)).toBe(true)
  })

  test('half a million rows overflow no stack', () => {
    expect(buildTree(manyNodes(500_000, (i) => i - 1)).active?.rows).toHaveLength(500_000)
  })
})

test('rows that have neither uuid nor parent follow each other', () => {
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } })
  const answer = (text: string) => ({
    type: 'assistant',
    message: { id: text, model: 'm', content: [{ type: 'text', text }] },
  })
  const { tree, active } = ofRows([user('p1'), answer('a1'), user('p2'), answer('a2')])
  expect(active).toBe('p1 a1 p2 a2')
  expect([...tree.parents]).toEqual([-1, 0, 1, 2])
  expect(tree.branches).toHaveLength(1)
  expectWhole(tree)
})
