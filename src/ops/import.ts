import { closeSync, existsSync, lstatSync, mkdirSync, readSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { archiveFolder, readArchive } from '../archive/archive.ts'
import { purgedHash } from '../archive/purged.ts'
import { Failure } from '../core/failure.ts'
import { type Static, Type } from '../core/schema.ts'
import { openRegular } from '../disk/regular-file.ts'
import { BUNDLE_FORMAT, type BundledFile, bundleName } from '../export/bundle/format.ts'
import { stageLog } from '../export/bundle/import-log.ts'
import { placeFiles } from '../export/bundle/import-place.ts'
import { clearLeftovers, STAGE } from '../export/bundle/import-stages.ts'
import { unpackBundle } from '../export/bundle/read.ts'
import type { Context } from '../history/context.ts'
import { importsFolder } from '../history/imported-roots.ts'
import { NullableString } from '../history/shapes.ts'
import { draftName, noteDraft } from '../state/drafts.ts'
import { changeMark, type Mark } from '../state/marks.ts'
import { asFailure, makePrivateFolder, syncFolder, writePrivateFile } from '../state/private-file.ts'
import { defineOp } from './op.ts'

const ItemShape = Type.Object({
  file: Type.String('The bundle or log'),
  session: Type.String(),
  title: NullableString,
  root: Type.String('Where it lies now'),
  files: Type.Integer('Its files that were new there'),
  bytes: Type.Integer(),
  redacted: Type.Union([Type.Boolean(), Type.Null()], 'Secrets were masked; null for a plain log'),
  state: Type.String('imported, or present if all of it was already there'),
})

type Item = Static<typeof ItemShape>

const ImportInput = Type.Object({
  bundle: Type.Array(Type.String(), { minItems: 1, description: 'Bundles or logs that someone sent you' }),
  to: Type.Optional(Type.String('Import into this Claude Code folder (default: where only annals reads it)')),
})

export const importing = defineOp({
  name: 'import',
  group: 'Share',
  changes: true,
  summary: 'Open a session that someone sent you.',
  examples: [
    'annals import race.annals.gz',
    'annals import session.jsonl',
    'annals import race.annals.gz --to ~/.claude',
  ],
  input: ImportInput,
  positional: ['bundle'],
  result: Type.Object({ items: Type.Array(ItemShape), total: Type.Integer() }),
  async run(context, input) {
    if (context.rootsOnly) {
      const hint = 'Run `annals import` in a terminal.'
      throw new Failure('CANNOT_RUN', 'Bundles are imported only from the command line.', { hint })
    }
    const items: Item[] = []
    for (const name of input.bundle) items.push(await importOne(context, resolve(context.cwd, name), input.to))
    return { items, total: items.length }
  },
})

/** What was unpacked and checked, and waits to be put in its place. */
interface Staged {
  readonly session: string
  readonly title: string | null
  readonly redacted: boolean | null
  readonly mark: Mark | null
  readonly files: readonly BundledFile[]
}

async function importOne(context: Context, file: string, to: string | undefined): Promise<Item> {
  const folder = to === undefined ? importsFolder(ownData(context)) : resolve(context.cwd, to)
  if (to !== undefined) mustBeRoot(folder)
  const stage = join(folder, draftName(STAGE))
  let done = () => {}
  try {
    if (to === undefined) makePrivateFolder(folder)
    clearLeftovers(context.dataDir, [folder], context.now)
    done = noteDraft(context.dataDir, stage)
    mkdirSync(stage, { mode: 0o700 })
    const staged = await unpack(file, stage)
    mustNotBePurged(context, staged.session)
    const { root, files } = to === undefined ? ownRoot(folder, stage, staged) : intoRoot(folder, stage, staged)
    if (to === undefined) mustStillBeWanted(context, staged.session, root)
    const { session, title, redacted, mark } = staged
    if (mark && context.dataDir !== undefined)
      changeMark(context.dataDir, session, (own) => (isMarked(own) ? own : mark))
    const bytes = staged.files.reduce((sum, one) => sum + one.bytes, 0)
    return { file, session, title, root, files, bytes, redacted, state: files === 0 ? 'present' : 'imported' }
  } catch (error) {
    throw asFailure(error, folder, 'The import')
  } finally {
    if (existsSync(stage)) rmSync(stage, { recursive: true, force: true })
    done()
  }
}

/** What was noted here is never replaced by what came with a bundle. */
function isMarked({ starred, note }: Mark): boolean {
  return starred || note !== null
}

function ownData({ dataDir }: Context): string {
  if (dataDir !== undefined) return dataDir
  throw new Failure('CANNOT_RUN', 'annals has no folder of its own here to import into.', {
    hint: 'Name a root with --to.',
  })
}

function mustBeRoot(folder: string): void {
  if (lstatSync(realOf(folder) ?? folder, { throwIfNoEntry: false })?.isDirectory()) return
  const hint = 'Make it first, or leave out --to.'
  throw new Failure('NO_ROOT', `There is no folder ${folder}.`, { hint })
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

async function unpack(file: string, stage: string): Promise<Staged> {
  // A person may name a link to it.
  const real = realOf(file) ?? file
  const fd = openRegular(real)
  if (typeof fd !== 'number') {
    const said = fd.kind === 'gone' ? `There is no file ${file}.` : `${file} cannot be imported. ${fd.message}`
    throw new Failure('BAD_INPUT', said, { hint: 'Name a bundle that `annals export --to bundle` wrote, or a log.' })
  }
  const head = Buffer.alloc(HEAD_BYTES)
  const start = head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
  const isPacked = start[0] === 0x1f && start[1] === 0x8b
  if (isPacked || start.includes(`"${BUNDLE_FORMAT}"`)) return unpackBundle(fd, stage, { isPlain: !isPacked })
  try {
    const { session, file: log } = stageLog(real, fd, stage)
    return { session, title: null, redacted: null, mark: null, files: [log] }
  } finally {
    closeSync(fd)
  }
}

/** A bundle says what it is at its very beginning. */
const HEAD_BYTES = 128

function mustNotBePurged({ dataDir }: Context, session: string): void {
  if (dataDir === undefined) return
  const { purged } = readArchive(archiveFolder(dataDir)).manifest.state
  if (!purged.has(purgedHash(session))) return
  const hint = 'What was purged never comes back to this machine. Read it elsewhere.'
  throw new Failure('CANNOT_WRITE', `Session ${session} was purged here.`, { hint })
}

/** A purge that came while it was put in its place has looked for it too early. */
function mustStillBeWanted(context: Context, session: string, root: string): void {
  try {
    mustNotBePurged(context, session)
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

/** Where something was put, and how many files of it were new. */
interface Placed {
  readonly root: string
  readonly files: number
}

/** A root of its own, which appears in one step. The client that sweeps old sessions never looks there. */
function ownRoot(folder: string, stage: string, staged: Staged): Placed {
  const root = join(folder, bundleName(staged))
  if (lstatSync(root, { throwIfNoEntry: false })) return { root, files: 0 }
  writePrivateFile(join(stage, 'settings.json'), Buffer.from(`${JSON.stringify({ cleanupPeriodDays: 36_500 })}\n`))
  try {
    renameSync(stage, root)
  } catch (error) {
    // Another import of the same was faster.
    if (lstatSync(root, { throwIfNoEntry: false })) return { root, files: 0 }
    throw error
  }
  syncFolder(folder)
  return { root, files: staged.files.length }
}

function intoRoot(root: string, stage: string, { files }: Staged): Placed {
  return { root, files: placeFiles(stage, root, files) }
}
