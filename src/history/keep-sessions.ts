import { type Amount, amountOf, archiveFolder, readArchive, sessionsOf } from '../archive/archive.ts'
import { projectByPath } from '../archive/kept-files.ts'
import type { Wanted } from '../archive/survey.ts'
import { type Synced, type SyncOptions, syncArchive } from '../archive/sync.ts'
import { Failure } from '../core/failure.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Context } from './context.ts'
import { listExpiring } from './expiring.ts'
import { findSession } from './find.ts'

/** What was taken of one session. */
export interface KeptNow {
  readonly session: string
  readonly root: string
  readonly files: number
  readonly bytesRaw: number
  /** Some file had been rewritten: the old content is kept beside the new one. */
  readonly rewritten: boolean
}

/** The folder of the archive; fails where there is none. */
export function archiveOf({ dataDir }: Context): string {
  if (dataDir !== undefined) return archiveFolder(dataDir)
  throw new Failure('CANNOT_RUN', 'There is no folder for an archive here.')
}

/** Keeps the sessions that are named, or those that expire, with the memory of their projects; without a name, everything. */
export async function keepSessions(
  context: Context,
  names: readonly string[] | 'expiring',
  options: Pick<SyncOptions, 'thorough'> = {},
): Promise<Synced & { readonly items: readonly KeptNow[] }> {
  const { library, now, progress } = context
  const folder = archiveOf(context)
  const wanted =
    names === 'expiring' ? await expiringFiles(context) : await Promise.all(names.map((name) => inRoots(context, name)))
  const only = names.length === 0 ? undefined : isOneOf(wanted)
  const synced = await syncArchive(folder, { roots: library.roots, now, progress, ...options, ...(only && { only }) })
  for (const problem of synced.problems) context.warn(problem)
  // The library lists again, now that more is kept.
  library.refresh()
  return { ...synced, items: bySession(synced) }
}

async function expiringFiles(context: Context): Promise<readonly SessionFiles[]> {
  const progress = (done: number, total: number) => context.progress(done, total, 'lists and sums')
  return (await listExpiring({ ...context, progress })).map(({ files }) => files)
}

async function inRoots(context: Context, name: string): Promise<SessionFiles> {
  const { library, files } = await findSession(context, name)
  if (library === context.library) return files
  const hint = 'Name its root with --root.'
  throw new Failure('CANNOT_RUN', `${name} is not in a folder that annals reads.`, { hint })
}

function isOneOf(sessions: readonly SessionFiles[]): (file: Wanted) => boolean {
  const ids = new Set(sessions.map(({ root, id }) => `${root}\0${id}`))
  const projects = new Set(sessions.map(({ root, project }) => `${root}\0${project.key}`))
  return ({ entry, owner, path }) =>
    owner === null ? projects.has(`${entry.root}\0${projectByPath(path)}`) : ids.has(`${entry.root}\0${owner}`)
}

function bySession({ taken }: Synced): readonly KeptNow[] {
  const items = new Map<string, KeptNow>()
  for (const { root, owner, bytesRaw, isNewGeneration } of taken) {
    if (owner === null) continue
    const key = `${root}\0${owner}`
    const item = items.get(key) ?? { session: owner, root, files: 0, bytesRaw: 0, rewritten: false }
    items.set(key, {
      ...item,
      files: item.files + 1,
      bytesRaw: item.bytesRaw + bytesRaw,
      rewritten: item.rewritten || isNewGeneration,
    })
  }
  return [...items.values()]
}

/** What the archive holds in all. */
export function archiveTotal(
  folder: string,
): Amount & { readonly sessions: number; readonly changedAt: string | null } {
  const archive = readArchive(folder)
  const { state, changedAt } = archive.manifest
  return { ...amountOf(state.files.values()), sessions: sessionsOf(archive).length, changedAt }
}
