import { existsSync, readFileSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesOf, readArchive } from '../archive/archive.ts'
import { withoutLines } from '../archive/history.ts'
import { HISTORY, ownerByPath } from '../archive/kept-files.ts'
import { familyOnDisk } from '../archive/owners.ts'
import { purgeSession } from '../archive/purge.ts'
import { purgeCollected } from '../collector/run/purge-collected.ts'
import type { TeamPurged } from '../collector/team/purge.ts'
import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import { relativePath } from '../disk/layout.ts'
import { Library } from '../disk/library.ts'
import { readLiveSessions } from '../disk/live.ts'
import type { SourceEntry } from '../disk/source.ts'
import { forgetEdits } from '../edit/forget.ts'
import { leftoversOf } from '../export/bundle/import-stages.ts'
import { importsOf, purgeCopies } from '../export/bundle/purge-copies.ts'
import type { Context } from '../history/context.ts'
import { findSession } from '../history/find.ts'
import { archiveOf } from '../history/keep-sessions.ts'
import { listSessions } from '../history/list.ts'
import { knownLogs, purgeIndexes } from '../index/purge.ts'
import { changeMark } from '../state/marks.ts'
import { removeIfEmpty } from '../state/private-file.ts'
import { defineOp } from './op.ts'

export const purge = defineOp({
  name: 'purge',
  group: 'Keep',
  changes: true,
  teamStore: 'named',
  summary: 'Delete a session for good: index, archive and caches.',
  examples: [
    'annals purge 3f9a',
    'annals purge 3f9a --source --yes',
    'annals purge 3f9a --store postgres://annals.example.com/team',
    'annals purge ana --person --store postgres://annals.example.com/team',
  ],
  input: Type.Object({
    session: Type.String('The session to delete, with all its agents'),
    source: Type.Optional(Type.Boolean("Also delete Claude Code's own files of it")),
    person: Type.Optional(Type.Boolean('With --store: delete everything that was sent by this person')),
    yes: Type.Optional(Type.Boolean('Do not ask for confirmation')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    sessions: Type.Integer(),
    files: Type.Integer('Files removed, from the archive and from the root'),
    bytesRaw: Type.Integer(),
    bytesStored: Type.Integer('Bytes that the archive gave back'),
    problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String() })),
    removed: Type.Array(
      Type.Object({
        where: Type.String('archive, index, imports, leftovers, edits, collector, source or the team store'),
        what: Type.String(),
      }),
    ),
    left: Type.Array(Type.String('What could not be removed, or was not asked for')),
    collected: Type.Array(
      Type.Object({
        destination: Type.String('Where the session was sent'),
        run: Type.String('What removes it there'),
        isTold: Type.Boolean('It was notified before, and has removed it'),
      }),
    ),
  }),
  async run(context, input) {
    const what = input.person ? 'person' : 'session'
    if (context.store) {
      const { purgeTeam } = await import('../collector/team/purge.ts')
      return fromTeam(await purgeTeam(context, what, input.session, input.yes === true))
    }
    if (input.person)
      throw new Failure('USAGE', 'A person is purged from a team store.', { hint: 'Add --store postgres://…' })
    const folder = archiveOf(context)
    const session = await whichSession(context, folder, input.session)
    const { roots } = context.library
    const family = familyOnDisk(roots, session)
    const source = input.source === true
    if (source) refuseLive(context, session)
    await mustBeMeant(context, input.yes ? session : await nameOf(context, session), family, source, input.yes === true)
    const pastes = roots.map((root) => pastesOf(root, session))
    const indexedPaths = logsElsewhere(context, session).map((path) => path.slice(path.lastIndexOf('/projects/') + 1))
    const paths = [...family.map(relativePath), ...indexedPaths, ...pastes.flatMap((one) => one.paths)]
    const unnamed = paths.filter((path) => ownerByPath(path) !== session)
    const kept = filesOf(readArchive(folder), session).map(({ root, path }) => join(root, path))
    // Its own connection to the index is closed first, so that nothing keeps old pages.
    context.library.close()
    const archived = await purgeSession(folder, session, { now: context.now, paths: unnamed })
    const copies = purgeCopies(context, session)
    const edits = forgetEdits(context.dataDir as string, session)
    changeMark(context.dataDir as string, session, () => ({ starred: false, note: null }))
    const indexed = indexPurge(context, session, [...kept, ...family.map(({ path }) => path)])
    const sent = purgeCollected(context, session, [...kept, ...family.map(({ path }) => path)])
    const deleted = source ? deleteFamily(family) : { files: 0, bytes: 0, problems: [] }
    return {
      session,
      sessions: 1,
      files: archived.files + deleted.files,
      bytesRaw: archived.bytesRaw + deleted.bytes,
      bytesStored: archived.bytesStored,
      problems: [...archived.problems, ...deleted.problems, ...indexed.problems, ...copies.underWay],
      removed: [
        { where: 'archive', what: amount(archived.files, 'file', `${archived.bytesRaw} bytes`) },
        ...(archived.historyLines > 0
          ? [{ where: 'archive', what: amount(archived.historyLines, 'prompt', 'of the kept history') }]
          : []),
        ...indexed.removed,
        ...(copies.imports > 0 ? [{ where: 'imports', what: amount(copies.imports, 'import', 'with its files') }] : []),
        ...(copies.leftovers.length > 0
          ? [
              {
                where: 'leftovers',
                what: amount(copies.leftovers.length, 'draft', 'that a killed import or export left'),
              },
            ]
          : []),
        ...(edits > 0 ? [{ where: 'edits', what: amount(edits, 'edit', 'with the copies that they kept') }] : []),
        ...(sent.letters > 0
          ? [{ where: 'collector', what: amount(sent.letters, 'record', 'that a destination had not taken') }]
          : []),
        ...(source ? [{ where: 'source', what: amount(deleted.files, 'file', `${deleted.bytes} bytes`) }] : []),
      ],
      left: leftBehind(
        source,
        family,
        pastes.some(({ lines }) => lines > 0),
        indexed,
      ),
      collected: [...sent.collected],
    }
  },
})

function amount(count: number, one: string, more: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}, ${more}`
}

/**
 * The session that is meant: one on the disk, also where it was purged before, one in the archive, or one that only the index
 * still knows.
 */
async function whichSession(context: Context, folder: string, name: string): Promise<string> {
  const { roots } = context.library
  const disk = new Library({ roots })
  try {
    for (const library of [disk, context.library]) {
      try {
        const cacheDir = library === disk ? undefined : context.cacheDir
        const { files, agent } = await findSession({ ...context, library, cacheDir }, name)
        if (!agent) return files.id
        const hint = `Its session: annals purge ${files.id}`
        throw new Failure('USAGE', `${name} is an agent. Only whole sessions are purged, with all their agents.`, {
          hint,
        })
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'SESSION_NOT_FOUND') throw error
      }
    }
    const isKnown =
      filesOf(readArchive(folder), name).length > 0 ||
      familyOnDisk(roots, name).length > 0 ||
      importsOf(context.dataDir, name).length > 0 ||
      // A killed import may have left the only copy.
      (WHOLE_ID.test(name) && leftoversOf(context.dataDir, roots, context.now, name).length > 0) ||
      logsElsewhere(context, name).length > 0
    if (isKnown) return name
    const hint = 'Run `annals sessions --all` to see them. One that only the index knows is named by its whole id.'
    throw new Failure('SESSION_NOT_FOUND', `No session matches "${name}".`, { hint })
  } finally {
    disk.close()
  }
}

const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Logs of a session that only the index knows of: of roots that are not read now, or that have vanished. */
function logsElsewhere({ cacheDir }: Context, session: string): readonly string[] {
  return cacheDir === undefined ? [] : knownLogs(cacheDir, session)
}

/** A team store has rows, and neither files nor bytes of an archive. */
function fromTeam({ session, removed, left, problems }: TeamPurged) {
  const none = { sessions: 1, files: 0, bytesRaw: 0, bytesStored: 0 }
  return { session, ...none, problems: [...problems], removed: [...removed], left: [...left], collected: [] }
}

function refuseLive({ library }: Context, session: string): void {
  const live = library.roots.flatMap((root) => readLiveSessions(root).items)
  const holder = live.find((one) => one.alive && one.sessionId === session)
  if (!holder) return
  throw new Failure('CANNOT_RUN', `Claude Code (process ${holder.pid}) is running this session.`, {
    hint: 'Quit it first; its files would come back.',
  })
}

/** A session as a person knows it: its title, project, day and cost, as far as they are known. */
async function nameOf(context: Context, session: string): Promise<string> {
  const item = (await listSessions(context)).find(({ id }) => id === session)
  const about = [
    item?.title?.replace(/\s+/g, ' ').slice(0, 60),
    item?.project.path?.split(/[\\/]/).at(-1),
    item?.updatedAt?.slice(0, 10),
    item?.costUsd == null ? undefined : `$${item.costUsd.toFixed(2)}`,
  ].filter((part) => part)
  return about.length === 0 ? session : `${session} (${about.join(' · ')})`
}

async function mustBeMeant(
  { confirm }: Context,
  session: string,
  family: readonly SourceEntry[],
  source: boolean,
  isSure: boolean,
): Promise<void> {
  if (isSure) return
  const files = source ? `, and delete its ${family.length} files` : ''
  if (!confirm) {
    throw new Failure('USAGE', `This would forget session ${session}${files}.`, { hint: 'Add --yes to do it.' })
  }
  if (!(await confirm(`Forget session ${session} for good${files}?`)))
    throw new Failure('CANNOT_RUN', 'Nothing was done.')
}

/** Pasted texts that only prompts of this session name: they must not be kept again. */
function pastesOf(root: string, session: string): { readonly paths: readonly string[]; readonly lines: number } {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(root, HISTORY))
  } catch {
    return { paths: [], lines: 0 }
  }
  let lines = 0
  const { pastes, others } = withoutLines(bytes, (line) => {
    if (line.session === session) lines += 1
    return line.session === session
  })
  return { paths: [...pastes].filter((hash) => !others.has(hash)).map((hash) => `paste-cache/${hash}.txt`), lines }
}

function indexPurge({ cacheDir, dataDir }: Context, session: string, paths: readonly string[]) {
  if (cacheDir === undefined) return { removed: [], problems: [], isSkipped: true, elsewhere: [] }
  const { paths: forgotten, files, records, indexesRemoved, isBusy } = purgeIndexes(cacheDir, session, paths)
  const known = new Set(paths)
  const elsewhere = forgotten.filter((path) => !known.has(path) && existsSync(path))
  const removed = [{ where: 'index', what: amount(files, 'log', `${records} records`) }]
  if (indexesRemoved > 0) removed.push({ where: 'index', what: amount(indexesRemoved, 'old file', 'removed whole') })
  const message = 'Another annals holds the index open; its words may still be in the log beside it. Purge again later.'
  return { removed, problems: isBusy ? [{ file: cacheDir ?? dataDir, message }] : [], isSkipped: false, elsewhere }
}

/** Deletes files, the log last, so that one who is killed can begin again; then the folders that are empty. */
function deleteFamily(family: readonly SourceEntry[]) {
  let files = 0
  let bytes = 0
  const problems: { file: string; message: string }[] = []
  for (const { path, sizeBytes } of family) {
    try {
      unlinkSync(path)
      files += 1
      bytes += sizeBytes
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code !== 'ENOENT') problems.push({ file: path, message: `It could not be deleted (${code}).` })
    }
  }
  const folders = new Set(family.flatMap((entry) => foldersOf(entry)))
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) removeIfEmpty(folder)
  return { files, bytes, problems }
}

/** The folders of a family's own, from the file up. */
function foldersOf(entry: SourceEntry): readonly string[] {
  const parts = dirname(relativePath(entry)).split('/')
  const own = parts[0] === 'projects' ? 3 : 2
  return parts.flatMap((_, at) => (at + 1 >= own ? [join(entry.root, ...parts.slice(0, at + 1))] : []))
}

function leftBehind(
  source: boolean,
  family: readonly SourceEntry[],
  hasPrompts: boolean,
  { isSkipped, elsewhere }: { readonly isSkipped: boolean; readonly elsewhere: readonly string[] },
): string[] {
  return [
    ...(!source && family.length > 0
      ? [
          `Claude Code's own ${family.length} files of it are still there; annals no longer looks at them. --source deletes them.`,
        ]
      : []),
    ...(hasPrompts ? ["Its prompts are still in Claude Code's history.jsonl, which annals never rewrites."] : []),
    ...elsewhere.map((path) => `${path} is in a folder that is not read now; name it with --root to delete it.`),
    ...(isSkipped ? ['The index was not touched, because of --no-index.'] : []),
    'Memory that Claude Code made from it, copies of its text in other sessions (forks, continuations), and exports stay.',
    'Backups of these folders, and what a disk keeps of deleted blocks, are out of reach.',
  ]
}
