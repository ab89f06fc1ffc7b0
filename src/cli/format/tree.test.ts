import fc from 'fast-check'
import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatTree } from './tree.ts'

test('draws the branches where they part', () => {
  expect(formatTree({ ...samples.tree, diagnostics: [] }, viewOf())).toEqual([
    '3f9a1b2c · 5 rows · 2 branches · 1 agent inside the log (7 rows)',
    '',
    '● why?            just now',
    '├─○ make it blue  just now',
    '│ ○ and green     just now  p3 abandoned',
    '● /fix it         just now  p4 active',
    '',
    'annals show 3f9a1b2c --branch p3',
  ])
})

test('lists every row when asked to', () => {
  const lines = formatTree(samples.tree, viewOf({ input: { rows: true } }))
  expect(lines).toContain('12  p1  –         prompt    just now  why?')
  expect(lines).toContain('12  a1  under p1  response  just now')
  expect(lines).toContain('12  p4  under a1  command   just now  /fix it')
})

test('tells what is odd', () => {
  const lines = formatTree(samples.tree, viewOf())
  expect(lines).toContain('  MISSING_PARENT ×1  Its parent x is not in this log.')
})

test('draws any tree with one line for each thing asked on a branch', () => {
  const [first] = samples.tree.nodes
  const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(parents, (wanted) => {
      // Every row hangs under an earlier one; the rows that none hangs under are the leaves.
      const under = wanted.map((n, i) => (i === 0 ? null : `r${n % i}`))
      const nodes = under.flatMap((attachedTo, i) =>
        first ? [{ ...first, uuid: `r${i}`, attachedTo, text: `row ${i}` }] : [],
      )
      const leaves = nodes.filter((node) => !under.includes(node.uuid))
      const branches = leaves.map(({ uuid }, i) => ({
        leaf: uuid,
        active: i === 0,
        from: null,
        after: null,
        prompts: 1,
        title: null,
      }))
      const lines = formatTree(
        { ...samples.tree, nodes, branches, sidechains: [], diagnostics: [] },
        viewOf({ width: 200 }),
      )
      const drawn = lines.filter((line) => /[●○] row \d+/.test(line))
      expect(drawn).toHaveLength(nodes.length)
      expect(drawn.filter((line) => line.endsWith(' active'))).toHaveLength(1)
      expect(drawn.filter((line) => line.endsWith(' abandoned'))).toHaveLength(leaves.length - 1)
    }),
  )
})

test('a row that is its own ancestor ends nothing but itself', () => {
  const [first] = samples.tree.nodes
  const nodes = first ? [{ ...first, uuid: 'x', attachedTo: 'x', text: 'loop' }] : []
  const branches = [{ leaf: 'x', active: true, from: null, after: null, prompts: 1, title: null }]
  expect(formatTree({ ...samples.tree, nodes, branches, sidechains: [], diagnostics: [] }, viewOf())).toContain(
    '● loop  just now  x active',
  )
})
