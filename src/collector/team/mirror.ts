import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Warning } from '../../disk/warning.ts'
import { takeLock } from '../../state/lock.ts'
import { makePrivateFolder } from '../../state/private-file.ts'
import { SinkTrouble } from '../sink.ts'
import { type AddressDefaults, readAddress } from '../sinks/postgres/address.ts'
import type { Sql } from '../sinks/postgres/connect.ts'
import { withStore } from '../sinks/postgres/store.ts'
import { Places } from './place.ts'
import { pullDocuments, pullFile, removeCopy } from './pull.ts'
import { type PulledState, readPulled, writePulled } from './state.ts'

/** Which store to copy from, and where to. */
export interface MirrorOptions {
  readonly url: string
  readonly defaults?: AddressDefaults
  /** Where what can be made again is kept. */
  readonly cacheDir: string
  readonly now: Date
  /** Only files that were written since; what was copied before stays. */
  readonly since?: Date | undefined
  readonly warn: (warning: Warning) => void
}

/** A copy of what one may see of a team store: roots that can be read as any other. */
export interface Mirror {
  readonly folder: string
  readonly roots: readonly string[]
  /** Where the index of the copy is kept. */
  readonly indexDir: string
  /** When it was last brought up to date. */
  readonly pulledAt: string | null
}

/** Brings the copy up to date, at the cost of what is new. Without a connection it stays as it was, and says how old it is. */
export async function pullTeam(options: MirrorOptions): Promise<Mirror> {
  const { url, defaults = {}, cacheDir, now, warn } = options
  const { shown } = readAddress(url, defaults)
  const folder = join(cacheDir, 'team', createHash('sha256').update(shown).digest('hex').slice(0, 16))
  makePrivateFolder(folder)
  const lock = takeLock(folder, { waitMs: 60_000, what: 'the copy of the team store' })
  try {
    const state = readPulled(folder)
    try {
      await withStore(url, (sql) => pullAll(sql, { ...options, folder, state }), defaults)
      if (options.since === undefined) state.pulledAt = now.toISOString()
      writePulled(folder, state)
    } catch (error) {
      if (!(error instanceof SinkTrouble) || !error.passes || state.pulledAt === null) throw error
      warn({ file: shown, message: `${error.message} What is shown was copied at ${state.pulledAt}.` })
    }
    return { folder, roots: rootsIn(folder), indexDir: join(folder, 'index'), pulledAt: state.pulledAt }
  } finally {
    lock.release()
  }
}

/** What the store says of a file. */
export interface SeenFile {
  readonly machine: string
  readonly file: string
  readonly generation: number
  readonly reached: number
  readonly project: string | null
  readonly session: string | null
  readonly agent: string | null
  readonly lastAt: Date | null
  readonly parts: string
}

interface Pull extends MirrorOptions {
  readonly folder: string
  readonly state: PulledState
}

async function pullAll(sql: Sql, pull: Pull): Promise<void> {
  const { folder, state, since } = pull
  const seen = await seenFiles(sql)
  let isForgetting = false
  for (const [key, copy] of state.files) {
    const now = seen.get(key)
    // Purged, no longer granted, or rewritten: nothing of it may stay, not even in the index.
    if (now && now.parts === copy.parts && now.generation === copy.generation) continue
    removeCopy(folder, copy.path)
    state.files.delete(key)
    isForgetting = true
  }
  let copied = 0
  const into = { ...pull, places: new Places(state.files) }
  for (const [key, file] of seen) {
    if (since && file.lastAt && file.lastAt < since) continue
    if (await pullFile(sql, into, key, file)) copied += 1
    // Written now and then, so that one who is interrupted does not begin again.
    if (copied > 0 && copied % 200 === 0) writePulled(folder, state)
  }
  isForgetting = (await pullDocuments(sql, pull)) || isForgetting
  if (isForgetting) rmSync(join(folder, 'index'), { recursive: true, force: true })
}

/** The newest generation of every file that one may see, by `machine file`. */
async function seenFiles(sql: Sql): Promise<ReadonlyMap<string, SeenFile>> {
  const rows = await sql`
    select distinct on (s.machine, s.file) s.machine, s.file, s.generation, s.project, s.session, s.agent, s.last_at, s.parts,
      coalesce(m."offset", -1) as reached
    from (
      select machine, file, generation, min(project) as project, max(last_at) as last_at,
        case when count(distinct session) = 1 then min(session) end as session,
        case when count(*) = count(agent) and count(distinct agent) = 1 then min(agent) end as agent,
        md5(string_agg(session || chr(10) || project, chr(10) order by session, project)) as parts
      from annals.session group by machine, file, generation
    ) s left join annals.mark m using (machine, file, generation)
    order by s.machine, s.file, s.generation desc`
  return new Map(
    rows.map((row) => [
      `${row.machine} ${row.file}`,
      {
        machine: String(row.machine),
        file: String(row.file),
        generation: Number(row.generation),
        reached: Number(row.reached),
        project: row.project || null,
        session: row.session || null,
        agent: row.agent || null,
        lastAt: row.last_at instanceof Date ? row.last_at : null,
        parts: String(row.parts),
      },
    ]),
  )
}

/** The roots of a copy; an empty one where it has none. */
function rootsIn(folder: string): readonly string[] {
  const folders = (path: string) =>
    readdirSync(path, { withFileTypes: true })
      .filter((one) => one.isDirectory() && one.name !== 'index')
      .map(({ name }) => join(path, name))
      .sort()
  const roots = folders(folder).flatMap(folders)
  if (roots.length > 0) return roots
  const empty = join(folder, 'nothing', 'main')
  if (!existsSync(empty)) makePrivateFolder(empty)
  return [empty]
}
