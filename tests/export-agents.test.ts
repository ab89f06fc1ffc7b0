import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLibrary } from '../src/history/compose.ts'
import { findSession } from '../src/history/find.ts'
import { historyOf } from '../src/history/history.ts'
import { log } from '../src/testing/index.ts'
import { type ExportInput, runExport, textOf } from './export-run.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-export-agents-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const made = (version: string) =>
  log({ version, seed: 'agents', cwd: '/home/ana/api', startedAt: '2026-03-01T08:00:00.000Z' })
    .user('Fix the race')
    .subagent({
      type: 'Explore',
      description: 'find callers',
      prompt: 'Who calls it?',
      steps: (agent) => agent.assistant('I look.'),
      result: 'Nobody.',
    })
    .assistant('Fixed.')
    .title('The race')

/** The id of the one agent, and its rows: in a log of its session those of the sidechain. */
async function agentOf(): Promise<{ readonly id: string; readonly isInside: boolean }> {
  const root = join(folder, 'root')
  const library = openLibrary([root], () => {})
  const history = historyOf({ library, warn: () => {} })
  const infos = await (await history.refresh()).sessions.infos()
  const [agent] = [...infos.values()].flatMap(({ agents }) => agents)
  history.close()
  return { id: `agent-${agent?.id}`, isInside: agent?.file === null }
}

const uuids = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).uuid)

describe('an agent inside the log of its session is exported alone', () => {
  const written = made('2.0.14')
  const sidechain = written
    .rows()
    .filter(({ isSidechain }) => isSidechain === true)
    .map(({ uuid }) => uuid)
  beforeEach(() => {
    written.write(join(folder, 'root'))
    expect(sidechain.length).toBeGreaterThan(2)
  })
  const run = async (input: Omit<ExportInput, 'sessions'>) => {
    const { id, isInside } = await agentOf()
    expect(isInside).toBe(true)
    return runExport(folder, { ...input, sessions: [id] }, { confirm: async () => true })
  }

  test('as records, with and without secrets', async () => {
    await run({ to: 'jsonl', out: 'a.jsonl' })
    expect(uuids(textOf(folder, 'a.jsonl'))).toEqual(sidechain)
    await run({ to: 'jsonl', out: 'b.jsonl', 'no-redact': true })
    const lines = Buffer.from(written.content()).toString().split('\n')
    expect(textOf(folder, 'b.jsonl').split('\n').slice(0, -1)).toEqual(
      lines.filter((line) => line.includes('"isSidechain":true')),
    )
  })

  test('as a table of records', async () => {
    await run({ to: 'parquet', out: 'tables/' })
    const file = await asyncBufferFromFile(join(folder, 'tables/records.parquet'))
    const rows = await parquetReadObjects({ file })
    expect(rows.map(({ uuid }) => uuid)).toEqual(sidechain)
  })

  test('as steps', async () => {
    const { files } = await run({ to: 'steps', out: 'steps/' })
    const steps = readFileSync(files.find(({ file }) => file.endsWith('steps.jsonl'))?.file ?? '', 'utf8')
    const from = new Set(
      steps
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).rawUuid),
    )
    expect(from).toEqual(new Set(sidechain))
  })
})

describe.each(['2.0.14', '2.0.37', '2.1.325'])('%s: a page of an agent', (version) => {
  test('carries its own name, times and cost', async () => {
    made(version).write(join(folder, 'root'))
    const { id } = await agentOf()
    await runExport(folder, { sessions: [id], to: 'md', out: 'a.md' })
    const text = textOf(folder, 'a.md')
    expect(text).toMatch(/^# Explore · find callers$/m)
    expect(text).toMatch(new RegExp(`^id: "${id}"$`, 'm'))
    expect(text).not.toMatch(/^title: "The race"$/m)
    await runExport(folder, { sessions: [id], to: 'html', out: 'a.html' })
    expect(textOf(folder, 'a.html')).toContain('<h1>Explore · find callers</h1>')
    const whole = await runExport(folder, { sessions: [await findable()], to: 'md', out: 'b.md' })
    expect(whole.sessions).toBe(1)
    const costOf = (page: string) => Number(/^costUsd: (.+)$/m.exec(page)?.[1])
    expect(costOf(text)).toBeGreaterThan(0)
    expect(costOf(text)).toBeLessThan(costOf(textOf(folder, 'b.md')))
  })
})

async function findable(): Promise<string> {
  const library = openLibrary([join(folder, 'root')], () => {})
  const context = { library, now: new Date(), cwd: folder, currentSession: undefined, warn: () => {} }
  return (await findSession(context, 'last')).files.id
}
