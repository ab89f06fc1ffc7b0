import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { purge } from '../src/ops/purge.ts'
import { answer, batch, document, machine, row, SESSION } from './collector/made-batches.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'

const KEPT = 'bbbb2222-0000-4000-8000-000000000002'
/** Each in a place of its own: a short record, a packed one, one outside of its row, a document, a dead letter, a tool. */
const SHORT = 'xyzzyshort'
const PACKED = 'xyzzypacked'
const LARGE = 'xyzzylarge'
const NOTE = 'xyzzynote'
const DEAD = 'xyzzydead'
const TOOL = 'toolu_xyzzytool'
const GONE = [SHORT, PACKED, LARGE, NOTE, DEAD, TOOL]
const STAYS = 'plughstays'

const said = (text: string) => Buffer.from(JSON.stringify({ type: 'user', message: { role: 'user', content: text } }))
/** Text that packs badly, so that it lies as it is, in pieces. */
const noise = (seed: number) =>
  Array.from({ length: 3000 }, (_, at) => ((at * 2_654_435_761 + seed * 40_503) % 2 ** 32).toString(36)).join(' ')

let cluster: Cluster

/** Which words lie in the files of the tables, whatever else is there; the write-ahead log is named in the report. */
function foundIn(words: readonly string[]): readonly string[] {
  cluster.psql('checkpoint')
  const base = join(cluster.folder, 'data', 'base')
  const found = new Set<string>()
  for (const name of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
    const bytes = read(join(base, name))
    for (const word of words) if (bytes?.includes(word)) found.add(word)
  }
  return words.filter((word) => found.has(word))
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined // a folder, or gone since
  }
}

const contextOf = (user: string) =>
  ({ store: { url: cluster.url('postgres', user), access: {} }, access: {} }) as unknown as Parameters<
    typeof purge.run
  >[0]

describe.skipIf(!hasPostgres)(`purging a team store${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = testCluster()
    const sink = postgresSink(cluster.url())
    await sink.open(machine())
    cluster.psql(`alter table annals.record add constraint no_plugh check (version <> 'plugh')`)
    const call = { id: TOOL, name: 'Edit', file: null, isResult: false, isError: null }
    const rows = [
      row(0, { content: said(`${STAYS} in another session`), session: KEPT }),
      row(1, { content: said(`${SHORT} of a short record`) }),
      answer(2, { content: said(`${PACKED} ${'again and again '.repeat(400)}`), tools: [call] }),
      row(3, { content: said(`${LARGE} ${noise(3)} ${LARGE}`) }),
      row(4, { content: said(`${DEAD} that no table takes`), version: 'plugh' }),
    ]
    const documents = [document('plans/a.md', `${NOTE} in a plan`, { kind: 'plan' })]
    const done = await sink.deliver(batch('all', rows, { documents }))
    expect(done).toMatchObject({ added: 4, deadLetters: [{ offset: 400 }] })
    await sink.close()
    // The planner takes samples of what it finds.
    cluster.psql('vacuum analyze')
  })
  afterAll(() => cluster?.remove())

  test('before it, all of it lies in the files: the scan sees what is there', () => {
    expect(cluster.psql('select count(*) from annals.doc')).toBe('4\n')
    expect(foundIn([...GONE, STAYS])).toEqual([...GONE, STAYS])
  })

  test('when its owner purges it, no byte of it is left in the files of the tables (X11)', async () => {
    const { problems, left, removed } = await purge.run(contextOf('postgres'), { session: SESSION, yes: true })
    expect(removed.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        '3 rows of record',
        '1 rows of dead_letter',
        '1 rows of document',
        '3 rows of doc',
        '1 rows of log',
      ]),
    )
    expect(problems).toEqual([])
    expect(left.join(' ')).toMatch(/write-ahead log/)
    for (const table of ['record', 'response', 'tool_call', 'session', 'document', 'dead_letter'])
      expect(cluster.psql(`select count(*) from annals.${table} where session = '${SESSION}'`), table).toBe('0\n')
    expect(foundIn([...GONE, STAYS])).toEqual([STAYS])
  })

  test('who does not own the tables is told what is left to do, and that does it', async () => {
    cluster.psql('create role boss login in role annals_admin')
    const { problems } = await purge.run(contextOf('boss'), { session: KEPT, yes: true })
    expect(foundIn([STAYS])).toEqual([STAYS])
    expect(problems.map(({ message }) => message)).toContainEqual(expect.stringMatching(/VACUUM FULL annals\.record/))
    for (const { message } of problems) cluster.psql(/VACUUM FULL \w+\.\w+/.exec(message)?.[0] ?? '')
    expect(foundIn([STAYS])).toEqual([])
  })
})
