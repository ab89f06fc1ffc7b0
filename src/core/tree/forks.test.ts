import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Log, log, type SubagentSpec } from '../../testing/index.ts'
import { FactsFold } from '../facts/facts.ts'
import { humanText, textOf } from '../log/content.ts'
import { readLog } from '../log/log.ts'
import { compareVersions } from '../log/version.ts'
import { type Branch, buildTree, type Tree, type TreeOptions } from './tree.ts'

const VERSIONS = '1.0.0 1.0.65 1.0.128 2.0.37 2.0.77 2.1.4 2.1.20 2.1.45 2.1.68 2.1.112 2.1.150 2.1.200 2.1.325'.split(
  ' ',
)

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

const grown = (made: Log) => grow(made.content())

function expectWhole(tree: Tree) {
  const reached = new Set([...tree.branches.flatMap((b) => b.rows), ...tree.sidechains.flatMap((s) => s.rows)])
  expect(reached.size).toBe(tree.nodes.length)
  for (const { rows } of [...tree.branches, ...tree.sidechains])
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b))
}

/** What leaves no branch behind, and the first version that does it. */
const SEAMS: readonly (readonly [string, (made: Log) => Log, since?: string])[] = [
  ['queued prompts', (made) => made.tool('Bash').queued('also').assistant('a3')],
  ['an interrupt', (made) => made.user('x').interrupt()],
  ['an interrupt while a tool runs', (made) => made.user('x').assistant('y').interrupt({ forTool: true })],
  ['a manual compaction', (made) => made.compact({ trigger: 'manual' }), '1.0.128'],
  ['an automatic compaction', (made) => made.compact({ trigger: 'auto' }), '1.0.128'],
  ['a compaction that keeps rows', (made) => made.compact({ preserved: 2 }), '2.1.200'],
  ['two compactions', (made) => made.compact().user('x').assistant('y').compact(), '1.0.128'],
  ['built-in commands', (made) => made.command('model', { output: 'Set.' }).command('cost')],
  ['a custom command', (made) => made.command('review', { expansion: 'Review it.' }).assistant('a3')],
  ['bash mode', (made) => made.bash('ls', 'a')],
  ['API errors', (made) => made.user('x').apiError('overloaded', { retries: 2 })],
  ['agents', (made) => made.subagent({ description: 'd', prompt: 'p', result: 'r' })],
  [
    'agents side by side',
    (made) => made.parallel([{ subagent: { description: 'd', prompt: 'p', result: 'r' } }, { name: 'Bash' }]),
  ],
  [
    'background agents',
    (made) => made.subagent({ description: 'd', prompt: 'p', result: 'r', background: true }).notification(),
    '2.1.200',
  ],
  ['a resume in the same file', (made) => made.resumed(), '1.0.128'],
  ['another client', (made) => made.upgrade('2.1.325')],
]

describe.each(VERSIONS)('%s', (version) => {
  const start = () => log({ version }).user('one').assistant('a1').user('two').assistant('a2')

  test('a conversation that never parted is one branch with every row', () => {
    const { tree, said } = grown(start())
    expect(said).toEqual(['one a1 two a2'])
    expect(tree.active).toBe(tree.branches[0])
    expect(tree.active).toMatchObject({ from: -1, rows: [...tree.parents.keys()], ownRows: [...tree.parents.keys()] })
    expect(tree.diagnostics).toEqual([])
  })

  test('a rewind to the first prompt makes two branches without a common row', () => {
    const { tree, said, active } = grown(start().rewind({ to: 1 }).user('three').assistant('a3'))
    expect(said).toEqual(['one a1 two a2', 'three a3'])
    expect(active).toBe('three a3')
    expect(tree.branches.map((branch) => branch.from)).toEqual([-1, -1])
    expectWhole(tree)
  })

  test('a rewind deeper in keeps what was before it on both branches', () => {
    const { tree, said, active, words } = grown(start().rewind({ to: 2 }).user('three').assistant('a3'))
    expect(said).toEqual(['one a1 two a2', 'one a1 three a3'])
    expect(active).toBe('one a1 three a3')
    const [first, second] = tree.branches as [Branch, Branch]
    expect(words(first.ownRows)).toEqual(['two', 'a2'])
    expect(words(second.ownRows)).toEqual(['three', 'a3'])
    expect(first.from).toBe(second.from)
    expect(first.rows).toContain(first.from)
    expectWhole(tree)
  })

  test('three alternatives are three branches', () => {
    const made = start().rewind({ to: 2 }).user('three').assistant('a3').rewind({ to: 2 }).user('four').assistant('a4')
    expect(grown(made).said).toEqual(['one a1 two a2', 'one a1 three a3', 'one a1 four a4'])
  })

  test('a rewind inside a rewound branch', () => {
    const made = start().rewind({ to: 2 }).user('three').assistant('a3').user('four').assistant('a4').rewind({ to: 4 })
    const { tree, said, active } = grown(made.user('five').assistant('a5'))
    expect(said.toSorted()).toEqual(['one a1 three a3 five a5', 'one a1 three a3 four a4', 'one a1 two a2'])
    expect(active).toBe('one a1 three a3 five a5')
    expectWhole(tree)
  })

  test('a rewind to which nothing was said yet leaves one branch', () => {
    expect(grown(start().rewind({ to: 1 })).said).toEqual(['one a1 two a2'])
  })

  test('tools, parallel ones too, make no branch and stay on it', () => {
    const call = (command: string) => ({ name: 'Bash', input: { command }, output: command })
    const made = start()
      .parallel([call('x'), call('y'), call('z')])
      .assistant('a3')
      .tool('Read', {})
      .user('three')
      .assistant('a4')
    const { tree, said } = grown(made)
    expect(said).toEqual(['one a1 two a2 a3 three a4'])
    expect(tree.active?.rows).toHaveLength(tree.nodes.length)
  })

  test('a rewind out of a turn with parallel tools', () => {
    const made = start()
      .parallel([{ name: 'Bash' }, { name: 'Grep' }])
      .assistant('a3')
      .rewind({ to: 2 })
      .user('three')
      .assistant('a4')
    const { tree, said } = grown(made)
    expect(said).toEqual(['one a1 two a2 a3', 'one a1 three a4'])
    expectWhole(tree)
  })

  test.each(
    SEAMS.filter(([, , since = '']) => compareVersions(version, since) >= 0).map(
      ([name, more]) => [name, more] as const,
    ),
  )('%s: no branch', (_, more) => {
    const { tree } = grown(more(start()).user('last').assistant('end'))
    expect(tree.branches).toHaveLength(1)
    expect(tree.diagnostics).toEqual([])
    expectWhole(tree)
    const main = [...tree.parents.keys()].filter((i) => !tree.nodes[i]?.isSidechain)
    expect(tree.active?.rows).toEqual(main)
  })
})

test.each(['2.1.200', '2.1.325'])('%s: a summary "from here" is no branch', (version) => {
  const { tree, said } = grown(
    log({ version })
      .user('one')
      .assistant('a1')
      .user('two')
      .assistant('a2')
      .compact({ from: 2 })
      .user('three')
      .assistant('a3'),
  )
  expect(said).toEqual(['one a1 two a2 three a3'])
  expectWhole(tree)
})

test.each(['1.0.65', '1.0.128'])('%s: agents inside the log are apart from its branch', (version) => {
  const agent = (n: number): SubagentSpec => ({
    description: `d${n}`,
    prompt: `p${n}`,
    steps: (s) => s.tool('Bash'),
    result: `r${n}`,
  })
  const { tree, said, words } = grown(
    log({ version }).user('one').subagent(agent(1)).subagent(agent(2)).assistant('a1'),
  )
  expect(said).toEqual(['one a1'])
  expect(tree.sidechains.map(({ rows }) => words(rows))).toEqual([
    ['p1', 'r1'],
    ['p2', 'r2'],
  ])
  expect(tree.sidechains.every(({ rows }) => rows.every((i) => tree.nodes[i]?.isSidechain))).toBe(true)
  expectWhole(tree)
})

test('1.0.128: a continued file begins with a row whose parent is in another one', () => {
  const made = log({ version: '1.0.128' }).user('one').assistant('a1').continued().user('two').assistant('a2')
  const { tree, said } = grown(made)
  expect(said).toEqual(['two a2'])
  expect(tree.attachedBy[0]).toBe('missing')
  expect(tree.diagnostics).toMatchObject([{ code: 'MISSING_PARENT', salvaged: true }])
})

test('in an agent log the sidechain rows are the conversation', () => {
  const made = log()
    .user('one')
    .subagent({ description: 'd', prompt: 'p', steps: (s) => s.tool('Bash').assistant('m'), result: 'r' })
  const file = made.files().find((f) => /agent-[^/]*\.jsonl$/.test(f.path))
  const { tree, said } = grow(Buffer.from(file?.content ?? ''), { isAgent: true })
  expect(said).toEqual(['p m r'])
  expect(tree.sidechains).toEqual([])
})

describe('any course of a conversation', () => {
  const turn = fc.record({
    rewind: fc.option(fc.nat(), { freq: 2 }),
    way: fc.constantFrom('plain', 'tool', 'parallel', 'queued', 'interrupt', 'unanswered', 'error', 'compact'),
  })

  test('has a branch for every way that prompts followed each other', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...VERSIONS.slice(2)),
        fc.boolean(),
        fc.array(turn, { minLength: 1, maxLength: 8 }),
        (version, attachments, turns) => {
          const made = log({ version, attachments })
          const before: number[] = []
          let last = -1
          turns.forEach(({ rewind, way }, i) => {
            if (rewind !== null && i > 0) {
              made.rewind({ to: (rewind % i) + 1 })
              last = before[rewind % i] as number
            }
            before.push(last)
            last = i
            made.user(`p${i}`)
            if (way === 'tool') made.tool('Bash').assistant('x')
            else if (way === 'parallel') made.parallel([{ name: 'Bash' }, { name: 'Read' }]).assistant('x')
            // Older clients wrote a queued prompt like any other.
            else if (way === 'queued' && compareVersions(version, '2.1.98') >= 0)
              made.tool('Bash').queued('q').assistant('x')
            else if (way === 'interrupt') made.assistant('x').interrupt()
            else if (way === 'error') made.apiError('overloaded')
            else if (way === 'compact') made.assistant('x').compact()
            else if (way === 'plain') made.assistant('x')
          })
          const leaves = [...before.keys()].filter((i) => !before.includes(i))
          const paths = leaves.map((leaf) => {
            const path: string[] = []
            for (let at = leaf; at !== -1; at = before[at] as number) path.unshift(`p${at}`)
            return path.join(' ')
          })
          const { tree, words, active } = grown(made)
          const prompts = (rows: readonly number[]) =>
            words(rows)
              .filter((word) => word.startsWith('p'))
              .join(' ')
          expect(tree.branches.map((branch) => prompts(branch.rows)).toSorted()).toEqual(paths.toSorted())
          expect(active?.split(' ')).toContain(`p${turns.length - 1}`)
          expectWhole(tree)
        },
      ),
      { numRuns: 500 },
    )
  })
})
