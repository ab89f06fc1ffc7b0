import { resolve } from 'node:path'
import { type Archive, amountOf, filesOf, type KeptSession, readArchive, sessionsOf } from '../archive/archive.ts'
import { type KeptFile, newest } from '../archive/kept-state.ts'
import { LOST_FOUND, type LostObject, lostObjects, restoreLost } from '../archive/lost-found.ts'
import { type ArchiveProblem, gravestProblems } from '../archive/problems.ts'
import { repairArchive } from '../archive/repair.ts'
import { compareKept, restoreFiles } from '../archive/restore.ts'
import { verifyArchive } from '../archive/verify.ts'
import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { placeOf } from '../disk/layout.ts'
import type { Warning } from '../disk/warning.ts'
import type { Context } from '../history/context.ts'
import { knownSessions } from '../history/find.ts'
import { archiveOf, archiveTotal, keepSessions } from '../history/keep-sessions.ts'
import { NullableString } from '../history/shapes.ts'
import { isAuto } from '../history/sync-due.ts'
import { defineOp } from './op.ts'

const ACTIONS = ['status', 'list', 'sync', 'verify', 'restore'] as const

const ItemShape = Type.Object({
  session: Type.String(),
  root: Type.String(),
  title: NullableString,
  updatedAt: NullableString,
  files: Type.Integer(),
  generations: Type.Integer('Contents of its log: a rewrite begins another'),
  bytesRaw: Type.Integer(),
  bytesStored: Type.Integer(),
  state: Type.String('kept, behind (the log has grown), gone (only here), taken, restored or present'),
})

const ProblemShape = Type.Object({
  file: Type.String('The file in which it is'),
  message: Type.String(),
  repaired: Type.Boolean(),
  touches: Type.Array(
    Type.Object({
      session: NullableString,
      root: Type.String(),
      path: Type.String('Below the root'),
      generation: Type.Integer(),
      from: Type.Integer('First byte that cannot be relied on'),
      to: Type.Integer(),
    }),
  ),
})

const LostShape = Type.Object({
  file: Type.String('A stretch that has no place in any file'),
  bytes: Type.Union([Type.Integer(), Type.Null()], 'null where it cannot be read'),
  owners: Type.Array(
    Type.Object({
      session: NullableString,
      root: Type.String(),
      path: Type.String('Below the root'),
      generation: Type.Integer(),
      offset: Type.Integer('Where in the file it stood'),
    }),
  ),
})

const ArchiveInput = Type.Object({
  action: Type.Optional(Type.Choice(ACTIONS, 'status (default), list, sync (the same as keep), verify or restore')),
  session: Type.Optional(
    Type.Array(Type.String(), 'For restore and sync: the sessions; lost+found restores pieces that belong to no file'),
  ),
  to: Type.Optional(Type.String('restore: into this Claude Code folder instead of its own')),
  all: Type.Optional(Type.Boolean('restore: everything, with memory and prompt history')),
  repair: Type.Optional(Type.Boolean('verify: repair what can be repaired; nothing readable is deleted')),
})

type Input = Static<typeof ArchiveInput>
type Item = Static<typeof ItemShape>
type Problem = Static<typeof ProblemShape>

const ArchiveResult = Type.Object({
  action: Type.String(),
  folder: Type.String(),
  auto: Type.Boolean('Sessions are kept automatically'),
  changedAt: NullableString,
  sessions: Type.Integer(),
  files: Type.Integer(),
  bytesRaw: Type.Integer(),
  bytesStored: Type.Integer(),
  problems: Type.Array(ProblemShape),
  lost: Type.Array(LostShape),
  items: Type.Array(ItemShape),
})

export const archive = defineOp({
  name: 'archive',
  changes: true,
  effort: 'long',
  summary: 'List, verify and restore what is kept; also `keep list` etc.',
  examples: [
    'annals archive',
    'annals archive list',
    'annals archive verify --repair',
    'annals archive restore 3f9a',
    'annals archive restore last --to /tmp/claude',
  ],
  input: ArchiveInput,
  positional: ['action', 'session'],
  result: ArchiveResult,
  isTrouble: ({ problems = [] }) => problems.some(({ repaired }) => !repaired),
  async run(context, input) {
    const folder = archiveOf(context)
    const action = input.action ?? 'status'
    const done = await ACTS[action](context, folder, input)
    const total = archiveTotal(folder)
    const auto = isAuto(context.dataDir as string)
    return { action, folder, auto, ...total, problems: [], lost: [], items: [], ...done }
  },
})

type Done = Partial<Omit<Static<typeof ArchiveResult>, 'action' | 'folder'>>
type Act = (context: Context, folder: string, input: Input) => Done | Promise<Done>

const ACTS: Readonly<Record<(typeof ACTIONS)[number], Act>> = { status, list, sync, verify, restore }

function status(_: Context, folder: string): Done {
  const kept = readArchive(folder)
  const message = 'Part of the manifest is damaged, but could still be read: run `annals keep verify`.'
  const mended = toProblem({ file: kept.manifest.path, message })
  const problems = gravestProblems(kept).map(toProblem)
  const isMended = problems.length === 0 && kept.manifest.damage.length > 0
  return { problems: isMended ? [mended] : problems, lost: lostObjects(kept).map(toLost) }
}

function toLost({ file, bytes, owners }: LostObject): Static<typeof LostShape> {
  const toPlace = ({ session, root, path, generation, offset }: LostObject['owners'][number]) => {
    return { session, root, path, generation, offset }
  }
  return { file, bytes, owners: owners.map(toPlace) }
}

async function list(context: Context, folder: string): Promise<Done> {
  const kept = readArchive(folder)
  const names = await titles(context)
  const items = sessionsOf(kept).map((session) => itemOf(session, names, stateOf(context, kept, session)))
  return { items: items.sort(newestFirst), lost: lostObjects(kept).map(toLost) }
}

function newestFirst(a: Pick<Item, 'updatedAt'>, b: Pick<Item, 'updatedAt'>): number {
  return (a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1
}

type Titles = ReadonlyMap<string, { readonly title: string | null; readonly updatedAt: string | null }>

async function titles(context: Context): Promise<Titles> {
  return new Map(
    (await knownSessions(context)).map(({ info: { root, id, title, updatedAt } }) => [
      `${root}\0${id}`,
      { title, updatedAt },
    ]),
  )
}

function itemOf(session: KeptSession, names: Titles, state: string): Item {
  const { id, root, files } = session
  const known = names.get(`${root}\0${id}`)
  const log = logOf(files)
  const written = log && newest(log)?.seen?.modifiedAt
  return {
    session: id,
    root,
    title: known?.title ?? null,
    updatedAt: known?.updatedAt ?? (written === undefined ? null : new Date(written).toISOString()),
    ...amountOf(files),
    generations: log?.generations.length ?? 0,
    state,
  }
}

function logOf(files: readonly KeptFile[]): KeptFile | undefined {
  return files.find(({ path }) => placeOf(path).kind === 'session')
}

function stateOf({ library }: Context, kept: Archive, { id, root, files }: KeptSession): string {
  const log = library.sessions().find((session) => session.root === root && session.id === id)?.log
  if (!log || log.gone) return 'gone'
  if (log.kept) return 'kept'
  const own = logOf(files)
  // One that was put back has another time, and the same bytes.
  const isAsLong = own !== undefined && newest(own)?.seen?.bytes === log.sizeBytes
  return isAsLong && compareKept(kept, own, log.path) === 'present' ? 'kept' : 'behind'
}

async function sync(context: Context, folder: string, input: Input): Promise<Done> {
  const { items, problems, damage, bytesRaw, bytesStored, taken } = await keepSessions(context, input.session ?? [])
  const kept = readArchive(folder)
  const names = await titles(context)
  return {
    sessions: items.length,
    files: taken.length,
    bytesRaw,
    bytesStored,
    problems: [...damage, ...problems].map(toProblem),
    items: items.map(({ session, root, files, bytesRaw: taken }) => {
      const whole = { id: session, root, files: filesOf(kept, session, root) }
      return { ...itemOf(whole, names, 'taken'), files, bytesRaw: taken }
    }),
  }
}

async function verify({ now, progress }: Context, folder: string, input: Input): Promise<Done> {
  const found = await (input.repair ? repairArchive : verifyArchive)(folder, { now, progress })
  const { files, bytesRaw, bytesStored, problems, lost } = found
  return { files, bytesRaw, bytesStored, problems: problems.map(toProblem), lost: lost.map(toLost) }
}

function toProblem({ file, message, repaired = false, touches = [] }: Warning & Partial<ArchiveProblem>): Problem {
  return { file, message, repaired, touches: touches.map((one) => ({ ...one })) }
}

async function restore(context: Context, folder: string, input: Input): Promise<Done> {
  const kept = readArchive(folder)
  const to = input.to === undefined ? undefined : resolve(context.cwd, input.to)
  if (to !== undefined && context.rootsOnly && !context.library.roots.includes(to)) {
    throw new Failure('BAD_INPUT', 'A session can only be restored into a folder that annals reads.')
  }
  if (input.session?.includes(LOST_FOUND)) return restoreUnplaced(kept, to)
  const chosen = input.all
    ? sessionsOf(kept)
    : await Promise.all((input.session ?? []).map((name) => keptSession(kept, context, name)))
  if (chosen.length === 0) {
    const hint = 'Run `annals keep list` to see what is kept, or add --all.'
    throw new Failure('USAGE', 'Which session should be restored?', { hint })
  }
  const names = await titles(context)
  const files = input.all ? [...kept.manifest.state.files.values()] : chosen.flatMap((session) => session.files)
  const { written, present, problems } = restoreFiles(kept, files, { to, now: context.now })
  const isWritten = new Set(written.map(({ file }) => file))
  return {
    sessions: chosen.length,
    files: written.length,
    bytesRaw: written.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    bytesStored: amountOf(files).bytesStored,
    problems: problems.map(toProblem),
    items: chosen.map((session) => {
      const log = logOf(session.files)
      const isNew = log !== undefined && isWritten.has(resolve(to ?? session.root, log.path))
      return itemOf(session, names, isNew ? 'restored' : 'present')
    }),
    ...(present.length > 0 && written.length === 0 && { files: 0 }),
  }
}

/** What has no place in any file goes into a folder that is named: it is not for a root. */
function restoreUnplaced(kept: Archive, to: string | undefined): Done {
  if (to === undefined) {
    const hint = 'Name an empty folder with --to.'
    throw new Failure('USAGE', 'Pieces that belong to no file cannot be restored into a root.', { hint })
  }
  const { written, bytes } = restoreLost(kept, to)
  return { sessions: 0, files: written.length, bytesRaw: bytes, lost: lostObjects(kept).map(toLost) }
}

/** Finds a session in the archive by its id or the start of one, or in any way that a session can be found. */
async function keptSession(kept: Archive, context: Context, name: string): Promise<KeptSession> {
  const all = sessionsOf(kept)
  const exact = all.filter(({ id }) => id === name)
  const matches = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(name))
  const [only, ...others] = matches
  if (only && others.length === 0) return only
  if (only) {
    const ids = matches.slice(0, 5).map(({ id, root }) => `${id} (${root})`)
    throw new Failure('SESSION_AMBIGUOUS', `${matches.length} kept sessions start with "${name}": ${ids.join(', ')}.`, {
      hint: 'Give more of the id, or name one root with --root.',
    })
  }
  return byName(all, context, name)
}

async function byName(all: readonly KeptSession[], context: Context, name: string): Promise<KeptSession> {
  const wanted = name.toLowerCase()
  const infos = (await knownSessions(context)).map(({ info }) => info)
  const fits = infos.filter(
    (item) => name === 'last' || item.slug === name || item.title?.toLowerCase().startsWith(wanted),
  )
  for (const { id, root } of fits.toSorted(newestFirst)) {
    const found = all.find((session) => session.id === id && session.root === root)
    if (found) return found
  }
  const hint = 'Run `annals keep list` to see what is kept.'
  throw new Failure('SESSION_NOT_FOUND', `No kept session matches "${name}".`, { hint })
}
