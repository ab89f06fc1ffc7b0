import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { compareHoldings, type Holding, type OwnerRule, ownerRule } from '../src/core/facts/owner.ts'
import { openLibrary } from '../src/history/compose.ts'
import type { Context } from '../src/history/context.ts'
import { historyOf } from '../src/history/history.ts'
import { openToRead } from '../src/index/open.ts'
import { toHolding } from '../src/index/queries/holdings.ts'
import { receipt } from '../src/ops/receipt.ts'
import { sessions } from '../src/ops/sessions.ts'
import { stats } from '../src/ops/stats.ts'
import { usage } from '../src/ops/usage.ts'
import { type BuiltFile, generateRoot, type Log, log, root } from '../src/testing/index.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-owner-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Names of logs that would win by their path, if that decided: the copy's is the smallest. */
const ORIGINAL = 'ffffffff-0000-4000-8000-000000000001'
const FORK = '77777777-0000-4000-8000-000000000002'
const GRANDCHILD = '00000000-0000-4000-8000-000000000003'

/** One response of ours: a million tokens of input, so that each costs a round sum. */
const answer = (messageId: string) => ({ messageId, usage: { inputTokens: 1_000_000, outputTokens: 100 } })

function start(version: string, entrypoint: 'cli' | 'sdk-cli'): Log {
  return log({ version, entrypoint, sessionId: ORIGINAL, requests: true })
    .user('first')
    .assistant('one', answer('msg_1'))
    .user('second')
    .tool('Bash', { command: 'ls' }, { output: 'a' })
    .assistant('two', answer('msg_2'))
}

const ask = (one: Log, messageId: string) => one.user(`for ${messageId}`).assistant('yes', answer(messageId))

type Fork = (one: Log, sessionId: string) => Log
const forked: Fork = (one, sessionId) => one.forked({ sessionId })
const branched: Fork = (one, sessionId) => one.branched({ sessionId })
const sdkForked: Fork = (one, sessionId) => one.sdkForked({ sessionId })
const resumed: Fork = (one, sessionId) => one.resumed({ sessionId, copied: true })

const WAYS: readonly (readonly [string, string, 'cli' | 'sdk-cli', Fork])[] = [
  ['resume of 1.0.0', '1.0.0', 'cli', resumed],
  ['resume of 1.0.65', '1.0.65', 'cli', resumed],
  ...['1.0.128', '2.0.37', '2.0.77', '2.1.4', '2.1.45', '2.1.68', '2.1.112', '2.1.200', '2.1.325'].map(
    (version) => [`--fork-session of ${version}`, version, 'sdk-cli', forked] as const,
  ),
  ['interactive fork of 2.1.112', '2.1.112', 'cli', forked],
  ['interactive fork of 2.1.325', '2.1.325', 'cli', forked],
  ['/branch of 2.1.325', '2.1.325', 'cli', branched],
  ['SDK fork of 2.1.325', '2.1.325', 'sdk-cli', sdkForked],
]

/** A session, its fork, a fork of that, and the first going on. */
function family([, version, entrypoint, fork]: (typeof WAYS)[number]): readonly Log[] {
  const original = start(version, entrypoint)
  const child = ask(fork(original, FORK), 'msg_3')
  const grandchild = ask(fork(child, GRANDCHILD), 'msg_4')
  return [ask(original, 'msg_5'), child, grandchild]
}

const TRUTH = { msg_1: ORIGINAL, msg_2: ORIGINAL, msg_3: FORK, msg_4: GRANDCHILD, msg_5: ORIGINAL }

function contextOf(dir: string): Context {
  const library = openLibrary([dir], () => {})
  const never = { warn: () => {}, progress: () => {} }
  return { library, now: new Date('2026-03-09T12:00:00Z'), cwd: dir, home: dir, currentSession: undefined, ...never }
}

/** A response as the tables have it: who owns it, and who else holds it. */
interface Counted {
  readonly messageId: string
  readonly owner: string
  readonly copies: readonly { readonly file: string; readonly rule: OwnerRule }[]
}

/** All responses. That SQL decides as `compareHoldings` does is held here, for every root that is looked at. */
async function countedIn(dir: string): Promise<readonly Counted[]> {
  const cacheDir = mkdtempSync(join(tmpdir(), 'annals-owner-'))
  const context = { ...contextOf(dir), cacheDir }
  const history = historyOf(context)
  await history.refresh()
  const { database } = openToRead(cacheDir, context.library.roots)
  const sql = `select r.message, r.owner, coalesce(r.counts, r.id) as key, r.marked, r.made, r.written, r.named, fact.ended, fact.head, log.path
    from response r join log on log.id = r.log join fact on fact.log = r.log order by r.owner desc`
  const groups = new Map<unknown, { readonly message: string; readonly isOwner: boolean; readonly held: Holding }[]>()
  for (const row of database.prepare(sql).all()) {
    const group = groups.get(row.key) ?? []
    groups.set(row.key, [...group, { message: String(row.message), isOwner: row.owner === 1, held: toHolding(row) }])
  }
  database.close()
  history.close()
  rmSync(cacheDir, { recursive: true })
  return [...groups.values()].map((group) => {
    expect(group.filter(({ isOwner }) => isOwner)).toHaveLength(1)
    const [owner, ...others] = group.map(({ held }) => held) as [Holding, ...Holding[]]
    expect([owner, ...others].toSorted(compareHoldings)[0]).toBe(owner)
    const copies = others.map((held) => ({ file: held.log.path, rule: ownerRule(owner, held) }))
    return { messageId: group[0]?.message ?? '', owner: owner.log.path, copies }
  })
}

/** The session whose log owns each response. */
async function ownersIn(dir: string): Promise<Readonly<Record<string, string>>> {
  const own = (await countedIn(dir)).filter(({ messageId }) => messageId in TRUTH)
  return Object.fromEntries(own.map(({ messageId, owner }) => [messageId, basename(owner, '.jsonl')]).sort())
}

function written(files: readonly BuiltFile[], pathOf: (file: BuiltFile) => string = ({ path }) => path): string {
  const dir = mkdtempSync(join(folder, 'root-'))
  for (const file of files) {
    const path = join(dir, pathOf(file))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.content)
  }
  return dir
}

describe('a response belongs to the session that made it', () => {
  test.each(WAYS)('%s', async (...way) => {
    const dir = written(
      root()
        .add(...family(way))
        .files(),
    )
    expect(await ownersIn(dir)).toEqual(TRUTH)
    const context = contextOf(dir)
    const { items } = await sessions.run(context, { full: true })
    const byId = new Map(items.map((item) => [item.id, item]))
    const told = [ORIGINAL, FORK, GRANDCHILD].map((id) => byId.get(id) ?? expect.fail(id))
    expect(told.map(({ forkedFrom }) => forkedFrom)).toEqual([null, ORIGINAL, FORK])
    expect(told.map(({ inherited }) => inherited?.responses)).toEqual([0, 3, 4])
    const [first, fork, grandchild] = told
    // The tool call is a response without tokens of ours.
    const spent = (first?.costUsd ?? 0) + (fork?.costUsd ?? 0) + (grandchild?.costUsd ?? 0)
    expect((await usage.run(context, { all: true, by: 'total' })).total.costUsd).toBeCloseTo(spent, 9)
    const [, child, last] = family(way)
    expect([fork?.createdAt, grandchild?.createdAt]).toEqual([child, last].map((made) => made && beginning(made)))
    expect((await stats.run(context, {})).totals.responses).toBe(6)
    const paid = await receipt.run(context, { what: FORK })
    expect(paid.items.map(({ messageId }) => messageId)).toEqual(['msg_3'])
    expect(paid.countedElsewhere).toHaveLength(3)
  })
})

/** The time of a fork's own prompt, before which only `/branch` writes rows of its own. */
function beginning(made: Log): unknown {
  const rows = made.rows().filter(({ uuid }) => uuid !== undefined)
  const marked = rows.findLastIndex(({ forkedFrom }) => forkedFrom !== undefined)
  const first = rows.slice(marked + 1).find(({ type }) => type === 'system' || type === 'user')
  return (marked === -1 ? rows.findLast(({ type }) => type === 'user') : first)?.timestamp
}

test('neither the names of files nor the order of reading change an owner', async () => {
  const names = fc.shuffledSubarray(['0', '5', 'a', 'f', 'z'], { minLength: 3, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WAYS), names, async (way, stems) => {
      const renamed = new Map([ORIGINAL, FORK, GRANDCHILD].map((id, i) => [id, `${stems[i]}-renamed`]))
      const files = root()
        .add(...family(way))
        .files()
      const dir = written(
        files.filter(({ path }) => path.endsWith('.jsonl')),
        ({ path }) => path.replace(basename(path, '.jsonl'), (id) => renamed.get(id) ?? id),
      )
      const truth = Object.entries(TRUTH).map(([message, id]) => [message, renamed.get(id)])
      expect(await ownersIn(dir)).toEqual(Object.fromEntries(truth))
      rmSync(dir, { recursive: true })
    }),
    { numRuns: 60 },
  )
})

test('copying a log never changes the total', async () => {
  for (const way of WAYS) {
    const dir = written(
      root()
        .add(...family(way))
        .files(),
    )
    const { total } = await usage.run(contextOf(dir), { all: true, by: 'total' })
    const project = join(dir, 'projects', readdirSync(join(dir, 'projects'))[0] ?? '')
    for (const id of [ORIGINAL, FORK]) cpSync(join(project, `${id}.jsonl`), join(project, `1-copy-of-${id}.jsonl`))
    const after = await usage.run(contextOf(dir), { all: true, by: 'total' })
    expect(after.total).toEqual(total)
    // The copies say which session they are of, and the files of that name own what they hold.
    expect(await ownersIn(dir)).toEqual(TRUTH)
  }
})

test('the forks of a root for measuring carry evidence', async () => {
  const dir = join(folder, 'bulk')
  const made = generateRoot(dir, { bytes: 12 << 20, seed: 'forks' })
  expect(made.forks).toBeGreaterThan(0)
  const contested = (await countedIn(dir)).filter(({ copies }) => copies.length > 0)
  expect(contested.length).toBeGreaterThan(10)
  const rules = contested.flatMap(({ copies }) => copies.map(({ rule }) => rule))
  expect(rules.filter((rule) => rule === 'rest' || rule === 'named')).toEqual([])
})

describe('the rules, one after the other', () => {
  const plain: Holding = {
    isMarked: false,
    isMadeHere: false,
    writtenAt: 5,
    isNamed: false,
    log: { endedAt: 9, head: 'b', path: '/b' },
  }
  const owner = (changes: Partial<Holding>) => ({ ...plain, ...changes })
  const ending = (changes: Partial<Holding['log']>) => owner({ log: { ...plain.log, ...changes } })
  const worse = owner({ isMarked: true, writtenAt: 1, isNamed: true, isMadeHere: true })
  test.each([
    ['marked', plain, worse],
    ['made', owner({ isMadeHere: true, writtenAt: 8 }), owner({ isNamed: true })],
    ['written', owner({ writtenAt: 4 }), owner({ isNamed: true })],
    ['named', owner({ isNamed: true, log: { ...plain.log, endedAt: 20 } }), plain],
    ['rest', ending({ endedAt: 8, head: 'z' }), plain],
    ['rest', ending({ head: 'a', path: '/z' }), plain],
    ['rest', ending({ path: '/a' }), plain],
  ] as const)('%s', (rule, first, second) => {
    expect(compareHoldings(first, second)).toBeLessThan(0)
    expect(compareHoldings(second, first)).toBeGreaterThan(0)
    expect(ownerRule(first, second)).toBe(rule)
  })
})

/** Scenarios of real clients in which one session was made from another. */
const REAL = [
  ['1.0.0/resume-manual', 3],
  ['1.0.128/fork', 8],
  ['2.0.37/fork', 8],
  ['2.0.77/fork', 8],
  ['2.1.4/fork', 8],
  ['2.1.45/fork', 8],
  ['2.1.68/fork', 8],
  ['2.1.112/fork', 8],
  ['2.1.200/fork', 8],
  ['2.1.325/fork', 8],
  ['2.1.325/sdkops', 8],
  ['2.1.325/tui', 5],
] as const

describe('the forks of real clients', () => {
  for (const [part, contested] of REAL) {
    const found = corpus(part)
    const name = `${part}${found ? '' : WITHOUT_CORPUS}`
    test.runIf(found)(name, async () => {
      const dir = join(found ?? '', part)
      const shared = (await countedIn(dir)).filter(({ copies }) => copies.length > 0)
      expect(shared).toHaveLength(contested)
      for (const { messageId, owner, copies } of shared) {
        const holders = [...copies.map(({ file }) => file), owner]
        expect(basename(owner), messageId).toBe(basename(makerOf(holders)))
        expect(['marked', 'made', 'written']).toEqual(expect.arrayContaining(copies.map(({ rule }) => rule)))
      }
    })
  }
})

/**
 * Which run made a response, told by the scenarios themselves: none of their sessions goes on after another was made from it, so of
 * those that hold a response the one that ended first made it. None of the rules that decide here looks at that.
 */
function makerOf(files: readonly string[]): string {
  const endOf = (file: string) => {
    const times = readFileSync(file, 'utf8').split('\n').flatMap(parsed)
    return Math.max(...times.map(({ timestamp }) => Date.parse(String(timestamp)) || 0))
  }
  return files.toSorted((a, b) => endOf(a) - endOf(b))[0] as string
}

function parsed(line: string): readonly Record<string, unknown>[] {
  try {
    return [JSON.parse(line) as Record<string, unknown>]
  } catch {
    return []
  }
}
