import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TreeNode } from './node.ts'
import { NodeTable, tableOf } from './node-table.ts'
import { ROW_KINDS, TREE_TYPES } from './row-kind.ts'

const text = fc.oneof(fc.uuid(), fc.string({ unit: 'binary', maxLength: 12 }))
const maybeText = fc.option(text)
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123456Z', '1969-12-31T23:59:59.999Z', 'yesterday', ''),
)

const nodes: fc.Arbitrary<TreeNode> = fc
  .record({
    uuid: text,
    parent: maybeText,
    logicalParent: maybeText,
    type: fc.constantFrom(...TREE_TYPES),
    kind: fc.constantFrom(...ROW_KINDS),
    subtype: maybeText,
    isSidechain: fc.boolean(),
    timestamp: fc.option(time),
    line: fc.nat(),
    offset: fc.maxSafeNat(),
    length: fc.nat(),
    messageId: maybeText,
    model: maybeText,
    toolUses: fc.array(fc.record({ id: text, name: text }), { maxLength: 3 }),
    toolResults: fc.array(fc.record({ id: text, isError: fc.boolean() }), { maxLength: 3 }),
    agentId: maybeText,
    preview: maybeText,
    command: fc.option(fc.record({ name: text, args: text, isCustom: fc.boolean() })),
    preserved: fc.option(fc.record({ head: text, tail: text, anchor: text, uuids: fc.array(text) })),
    compaction: fc.option(
      fc.record({ trigger: maybeText, preTokens: fc.option(fc.nat()), postTokens: fc.option(fc.nat()) }),
    ),
    forkedFrom: maybeText,
  })
  // Only answers make calls, and only other rows answer them.
  .map((node) => ({ ...node, ...(node.type === 'assistant' ? { toolResults: [] } : { toolUses: [] }) }))

const plain = (node: TreeNode | undefined) => ({
  uuid: node?.uuid,
  parent: node?.parent,
  logicalParent: node?.logicalParent,
  type: node?.type,
  kind: node?.kind,
  subtype: node?.subtype,
  isSidechain: node?.isSidechain,
  timestamp: node?.timestamp,
  line: node?.line,
  offset: node?.offset,
  length: node?.length,
  messageId: node?.messageId,
  model: node?.model,
  toolUses: node?.toolUses,
  toolResults: node?.toolResults,
  agentId: node?.agentId,
  preview: node?.preview,
  command: node?.command,
  preserved: node?.preserved,
  compaction: node?.compaction,
  forkedFrom: node?.forkedFrom,
})

test('every row comes back as it was put in', () => {
  fc.assert(
    fc.property(fc.array(nodes), (all) => {
      const table = tableOf(all)
      expect(table.length).toBe(all.length)
      expect([...table].map(plain)).toEqual(all)
      expect(plain(table.findLast(() => true))).toEqual(plain(all.at(-1)))
      expect(table.at(-1)).toBeUndefined()
      expect(table.at(all.length)).toBeUndefined()
    }),
  )
})

test('a table opened from its parts goes on, and leaves the first one alone', () => {
  fc.assert(
    fc.property(fc.array(nodes), fc.array(nodes), (before, after) => {
      const table = tableOf(before)
      const opened = new NodeTable(table.parts())
      for (const node of after) opened.add(node)
      expect([...opened].map(plain)).toEqual([...before, ...after])
      expect([...table].map(plain)).toEqual(before)
    }),
  )
})

test('rows picked from a table are a table of their own', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(nodes, fc.boolean())), (all) => {
      const wanted = all.flatMap(([, isWanted], i) => (isWanted ? [i] : []))
      const picked = tableOf(all.map(([node]) => node)).pick(wanted)
      expect([...picked].map(plain)).toEqual(all.flatMap(([node, isWanted]) => (isWanted ? [node] : [])))
    }),
  )
})
