import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { openLibrary } from '../../history/compose.ts'
import type { Context } from '../../history/context.ts'
import { Collector } from '../collector.ts'
import { collectSetup } from '../run/setup.ts'
import { findPostgres, startCluster } from '../sinks/postgres/cluster.ts'
import { migratePostgres } from '../sinks/postgres/store.ts'

/** What shows the whole way of a team's records, on this machine alone. */
export interface TeamDemo<Usage> {
  /** Asks the views of the store. */
  readonly ask: (context: Context, input: { action: 'usage'; by: 'person' | 'project' }) => Promise<Usage>
  /** Where programs are looked for. */
  readonly path: string
  readonly now: Date
  readonly people: readonly string[]
  /** Makes up the root of one of them. */
  readonly writeRoot: (folder: string, person: string) => void
  readonly say: (line: string) => void
}

/** What the views of a team store say in the end. */
export interface TeamDemoUsage<Usage> {
  readonly byPerson: Usage
  readonly byProject: Usage
}

/** Starts a PostgreSQL of its own, collects from made-up machines, asks the views, and leaves nothing behind. */
export async function demonstrate<Usage>(demo: TeamDemo<Usage>): Promise<TeamDemoUsage<Usage>> {
  const { ask, path, now, people, writeRoot, say } = demo
  const bin = findPostgres(path)
  if (bin === undefined) {
    throw new Failure('CANNOT_RUN', 'PostgreSQL is not installed here, so there is no store to show.', {
      hint: 'Install it (on Debian: apt-get install postgresql) and run this again; it starts one of its own.',
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'annals-team-'))
  say('Starting a PostgreSQL of its own …')
  const cluster = startCluster(bin)
  try {
    const url = cluster.url()
    await migratePostgres(url)
    say('Made the tables, and roles for those who collect, receive, read and administer.')
    cluster.psql(`update annals.setting set value = '2' where name = 'minimum_group'`)
    for (const person of people) {
      const home = join(folder, person)
      mkdirSync(home)
      writeRoot(join(home, '.claude'), person)
      cluster.psql(`create role "${person}_box" login in role annals_collector`)
      const records = await collectFrom(home, person, cluster.url('postgres', `${person}_box`), now)
      say(`${person}'s machine delivered ${records} records: facts only, paths as they are.`)
    }
    const asked = { ...contextOf(folder, now), store: { url, access: {} } }
    const byPerson = await ask(asked, { action: 'usage', by: 'person' })
    const byProject = await ask(asked, { action: 'usage', by: 'project' })
    return { byPerson, byProject }
  } finally {
    cluster.remove()
    rmSync(folder, { recursive: true, force: true })
    say('Stopped it and removed everything.')
  }
}

async function collectFrom(home: string, person: string, url: string, now: Date): Promise<number> {
  const context = contextOf(home, now)
  const setup = collectSetup(context, { to: url, content: 'none', user: 'real', paths: 'real' })
  const source = setup.openSource()
  const sink = await setup.openSink()
  try {
    const collector = new Collector({
      source,
      sink,
      machine: { ...setup.machine, user: person, name: `${person}-laptop` },
      maker: { ...setup.maker, user: person },
      choices: setup.choices,
      destination: setup.destination.name,
      state: setup.state,
      attempts: 3,
    })
    await collector.start()
    return (await collector.pass()).records
  } finally {
    source.close()
    await sink.close()
    context.library.close()
  }
}

function contextOf(home: string, now: Date): Context {
  const root = join(home, '.claude')
  const nothing = () => {}
  mkdirSync(root, { recursive: true })
  const dataDir = join(home, 'annals')
  return {
    library: openLibrary([root], nothing),
    now,
    cwd: home,
    home,
    configDir: dataDir,
    dataDir,
    currentSession: undefined,
    warn: nothing,
    progress: nothing,
  }
}
