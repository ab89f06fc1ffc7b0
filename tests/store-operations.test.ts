import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { type OpenStore, openStore } from '../src/collector/team/open-store.ts'
import type { Context } from '../src/history/context.ts'
import { loadAll, opLoaders } from '../src/ops/index.ts'
import type { Op } from '../src/ops/op.ts'
import { sessions } from '../src/ops/sessions.ts'
import { writeDemoRoot } from '../src/testing/index.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'
import { type MadeMachine, madeMachine } from './postgres-machines.ts'

const ops = await loadAll(opLoaders)

const now = new Date('2026-11-15T12:00:00.000Z')

/** Places, times of files and figures of a clock differ; the order of equal times follows the paths. */
const OF_THE_PLACE = new Set([
  'bytes',
  'rawBytes',
  'rawTokens',
  ...['file', 'root', 'roots', 'dir', 'folder', 'backup', 'source', 'sources', 'line', 'offset', 'length', 'sizeBytes'],
  ...[
    'modifiedAt',
    'expiresAt',
    'status',
    'kept',
    'tookMs',
    'updatedAt',
    'warnings',
    'hash',
    'clientCache',
    'seenOn',
    'cite',
  ],
])

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value === 'number') return Number(value.toFixed(9))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !OF_THE_PLACE.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, plain(one)]))
}

/** What a person typed. */
const FILES = {
  'history.jsonl': `${JSON.stringify({ display: 'Why twice?', timestamp: 1_762_000_000_000, project: '/home/ben/shop', pastedContents: {} })}\n`,
}

describe.skipIf(!hasPostgres)(`operations on a team store${withoutPostgres}`, () => {
  let cluster: Cluster
  let machine: MadeMachine
  let store: OpenStore
  let inputs: Readonly<Record<string, readonly object[]>>
  const cache = mkdtempSync(join(tmpdir(), 'annals-store-operations-'))
  beforeAll(async () => {
    cluster = testCluster()
    machine = madeMachine((folder) => {
      writeDemoRoot(folder, now)
      // Copies of files are not delivered.
      rmSync(join(folder, 'file-history'), { recursive: true, force: true })
      for (const [name, text] of Object.entries(FILES)) {
        mkdirSync(join(folder, name, '..'), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
    })
    await machine.collect(cluster.url(), { content: 'all', user: 'real', paths: 'real' })
    store = await openStore({ url: cluster.url(), access: {} }, cache, () => {})
    inputs = await inputsFor(local())
  }, 120_000)
  afterAll(() => {
    store?.remote.close()
    machine?.remove()
    cluster?.remove()
    rmSync(cache, { recursive: true, force: true })
  })

  const local = (): Context => ({ ...machine.context(), now, cacheDir: join(cache, 'index') })

  /** Inputs for each operation that reads a store, by its name. */
  async function inputsFor(context: Context): Promise<Readonly<Record<string, readonly object[]>>> {
    const { items } = await sessions.run(context, { all: true } as never)
    const talks = items.filter(({ kind }) => kind === 'conversation')
    const byTools = talks.toSorted((a, b) => (b.counts?.toolCalls ?? 0) - (a.counts?.toolCalls ?? 0))
    const session = byTools[0]?.id ?? ''
    const touched = (await (ops.files as Op).run(context, { session })) as {
      items: { path: string; operation: string }[]
    }
    const path = touched.items.find(({ operation }) => operation === 'edit' || operation === 'write')?.path ?? ''
    const each = talks.map(({ id }) => ({ session: id }))
    return {
      agents: [{}, ...each],
      attribution: [{}],
      blame: [{ file: path, at: `${session}:1` }, { file: path }],
      context: each,
      export: [
        ...['md', 'html', 'jsonl'].map((to) => ({ sessions: [session], to, inline: true })),
        ...['json', 'xml', 'csv', 'parquet', 'steps', 'bundle'].map((to) => ({
          all: true,
          to,
          out: `${join(cache, 'out')}/`,
          force: true,
        })),
      ],
      files: [{}, ...each, { path }, { path, session, at: 'end' }, { path, versions: true }],
      find: each.map((one) => ({ ...one, query: 'the' })),
      memory: [{}],
      outline: each,
      plans: [{}, ...each],
      projects: [{}],
      prompts: [{}, { projects: true }],
      read: each,
      recap: [{ since: '2026-10-01', timezone: 'UTC' }],
      receipt: talks.flatMap(({ id }) => [{ what: id }, { what: id, lines: true }]),
      search: [{ query: ['the'] }, { query: ['the'], context: 1 }, { query: ['webhook'], exact: true }],
      sessions: [{ all: true }, { has: ['error'] }, { has: ['image'] }, { has: ['plan'] }],
      show: each,
      stats: [{ timezone: 'UTC', limit: 1000 }],
      timeline: each,
      todos: [{}, ...each],
      tree: each,
      usage: [
        { all: true, by: 'session', timezone: 'UTC' },
        { all: true, reconcile: true, timezone: 'UTC' },
      ],
    }
  }

  const names = Object.values(ops as Readonly<Record<string, Op>>)
    .filter(({ teamStore }) => teamStore === 'read')
    .map(({ name }) => name)
    .filter((name) => name !== 'serve' && name !== 'record')

  test.each(names)(
    '%s answers as from the root',
    async (name) => {
      const op = Object.values(ops as Readonly<Record<string, Op>>).find((one) => one.name === name) as Op
      expect(inputs[name]?.length).toBeGreaterThan(0)
      const answer = async (context: Context, input: object) => {
        try {
          rmSync(join(cache, 'out'), { recursive: true, force: true })
          return plain(await op.run(context, input as never))
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'Failure') throw error
          return `${error.message}`
        }
      }
      for (const input of inputs[name] ?? []) {
        const context = local()
        const theirs = await answer({ ...context, library: store.library, remote: store.remote }, input)
        expect({ input, answer: theirs }).toEqual({ input, answer: await answer(context, input) })
        context.library.close()
      }
    },
    120_000,
  )
})
