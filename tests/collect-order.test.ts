import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { annals, temporaryFolder } from './cli/annals.ts'
import { collectorOf } from './collector/made-collector.ts'
import { ID, LOG, line, type MadeRoot, withRoot } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const folder = temporaryFolder()
afterAll(folder.remove)

const OLDER = 'projects/-a/bbbb2222-0000-4000-8000-000000000002.jsonl'
const AGENT = `projects/-p/${ID}/subagents/agent-a1.jsonl`
const FILES = {
  [OLDER]: line(1),
  [LOG]: line(2) + line(3),
  [AGENT]: line(4, 'asked', { agentId: 'a1', isSidechain: true }),
  'history.jsonl': `{"display":"asked","timestamp":1763114400000,"sessionId":"${ID}"}\n`,
  'projects/-p/memory/notes.md': 'remember',
}

/** The agent is the newest of all, and yet comes after transcripts. */
function age(made: MadeRoot): void {
  const at = (path: string, minute: number) => {
    utimesSync(join(made.root, path), 1_700_000_000 + minute * 60, 1_700_000_000 + minute * 60)
  }
  for (const [minute, path] of [OLDER, LOG, 'history.jsonl', 'projects/-p/memory/notes.md', AGENT].entries())
    at(path, minute)
}

async function pass(made: MadeRoot, sink: MemorySink): Promise<void> {
  const source = made.source()
  const collector = collectorOf(source, sink)
  await collector.start()
  await collector.pass()
  source.close()
}

test('transcripts leave first, the newest of them before others; then agents, the history, and documents', () =>
  withRoot(FILES, async (made) => {
    age(made)
    const sink = new MemorySink()
    await pass(made, sink)
    const files = sink.batches.flatMap(({ rows, documents }) => [...rows, ...documents].map(({ file }) => file))
    const names = [...new Set(files)].map((file) => file.replace(/^root-\w+\//, ''))
    expect(names).toEqual([LOG, OLDER, AGENT, 'history.jsonl', 'projects/-p/memory/notes.md'])
  }))

test('status says what is behind by class, in that order', () =>
  withRoot(FILES, async (made) => {
    age(made)
    const args = ['collect', 'status', '--to', `folder:${join(folder.path, 'out')}`, '--root', made.root]
    const env = { ANNALS_HOME: join(folder.path, 'home') }
    const { lagByClass } = JSON.parse(annals([...args, '--json'], { env }).stdout)
    const size = (path: keyof typeof FILES) => Buffer.byteLength(FILES[path] as string)
    expect(lagByClass.map((one: Record<string, unknown>) => [one.class, one.files, one.bytes])).toEqual([
      ['transcripts', 2, size(LOG) + size(OLDER)],
      ['agents', 1, size(AGENT)],
      ['history', 1, size('history.jsonl')],
      ['documents', 1, 8],
    ])
    expect(lagByClass[0].newest).toBe(new Date(1_700_000_060_000).toISOString())
    expect(annals(args, { env }).stdout).toMatch(/transcripts\s+2 files, last written 2023/)
  }))
