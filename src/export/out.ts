import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { errorCode } from '../disk/regular-file.ts'
import { draftName, noteDraft } from '../state/drafts.ts'
import { asFailure, makePrivateFolder, NEW_FILE, putInPlace, writeAllAt } from '../state/private-file.ts'
import type { ExportFile } from './exporter.ts'
import { safePath } from './names.ts'

/** A file that was written, or is about to be. */
export interface WrittenFile {
  readonly file: string
  readonly bytes: number
  readonly status: 'new' | 'updated' | 'unchanged'
  readonly added: number | null
}

/** Where an export goes. Nothing of it is seen before `commit`, and nothing is left after `abandon`. */
export interface Outlet {
  write(file: ExportFile): Promise<WrittenFile>
  commit(): void
  abandon(): void
}

export interface OutOptions {
  /** What is there may be replaced. */
  readonly force: boolean
  /** The folder of our data, where it is noted what is half-done. */
  readonly dataDir?: string | undefined
}

/** One file. It is written beside its place, and put there once it is whole. */
export function fileOutlet(path: string, { force, dataDir }: OutOptions): Outlet {
  mustBeReplaceable(path, force)
  const draft = join(dirname(path), draftName(`${basename(path).slice(0, 100)}.`))
  let done = () => {}
  return {
    async write({ content }) {
      done = noteDraft(dataDir, draft)
      const status = lstatSync(path, { throwIfNoEntry: false }) ? 'updated' : 'new'
      return { file: path, bytes: await foreseen(path, () => writeDraft(draft, content)), status, added: null }
    },
    commit: () => {
      place(draft, path, force)
      done()
    },
    abandon: () => {
      rmSync(draft, { force: true })
      done()
    },
  }
}

/**
 * A folder. Its files are written into one of their own and moved when all are whole: a new folder appears at once, into one
 * that is there they go one by one, if none of them is in the way of another.
 */
export function folderOutlet(path: string, { force, dataDir }: OutOptions): Outlet {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  const stage = exists ? join(path, draftName('')) : join(dirname(path), draftName(`${basename(path)}.`))
  let done = () => {}
  const made: { readonly name: string; readonly replaces: boolean }[] = []
  return {
    write: (file) =>
      foreseen(path, async () => {
        const name = safePath(file.name)
        const added = file.added ?? null
        const there = lstatSync(join(path, name), { throwIfNoEntry: false })
        if (file.isUnchanged && there) return { file: join(path, name), bytes: there.size, status: 'unchanged', added }
        const draft = join(stage, name)
        if (made.length === 0) {
          done = noteDraft(dataDir, stage)
          makeStage(stage)
        }
        makePrivateFolder(dirname(draft))
        const bytes = await writeDraft(draft, file.content)
        made.push({ name, replaces: file.replaces === true })
        return { file: join(path, name), bytes, status: there ? 'updated' : 'new', added }
      }),
    commit() {
      if (made.length === 0) return
      if (exists) moveInto(path, stage, made, force)
      else rename(stage, path)
      done()
    },
    abandon: () => {
      rmSync(stage, { recursive: true, force: true })
      done()
    },
  }
}

/** Standard output, or whatever takes bytes. */
export function streamOutlet(output: (bytes: Uint8Array) => void): Outlet {
  return {
    async write({ content }) {
      return { file: '-', bytes: await pour(content, output), status: 'new', added: null }
    },
    commit: () => {},
    abandon: () => {},
  }
}

function makeStage(stage: string): void {
  mkdirSync(dirname(stage), { recursive: true, mode: 0o700 })
  mkdirSync(stage, { mode: 0o700 })
  chmodSync(stage, 0o700)
}

function moveInto(
  path: string,
  stage: string,
  made: readonly { readonly name: string; readonly replaces: boolean }[],
  force: boolean,
): void {
  for (const { name, replaces } of made) mustBeReplaceable(join(path, name), force || replaces)
  for (const { name, replaces } of made) {
    const target = join(path, name)
    mustBeOurs(path, dirname(target))
    place(join(stage, name), target, force || replaces)
  }
  rmSync(stage, { recursive: true, force: true })
}

/** A folder inside the export's own may be made, or be there; a link in its place would lead out of it. */
function mustBeOurs(path: string, folder: string): void {
  if (folder === path) return
  mustBeOurs(path, dirname(folder))
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (!stats) makePrivateFolder(folder)
  else if (!stats.isDirectory()) throw new Failure('CANNOT_WRITE', `${folder} is in the way: it is not a folder.`)
}

function mustBeReplaceable(path: string, force: boolean): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isFile() && !stats.isSymbolicLink())
    throw new Failure('CANNOT_WRITE', `${path} exists, and is not a file.`)
  if (!force) throw taken(path)
}

function taken(path: string): Failure {
  return new Failure('CANNOT_WRITE', `${path} already exists.`, { hint: 'Add --force to replace it.' })
}

/** Puts a file in its place; one that came there meanwhile stays, unless it may be replaced. */
function place(draft: string, path: string, force: boolean): void {
  if (force) rename(draft, path)
  else if (!foreseenSync(path, () => putInPlace(draft, path))) throw taken(path)
}

function rename(from: string, to: string): void {
  foreseenSync(to, () => renameSync(from, to))
}

function foreseenSync<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw asFailure(error, path, 'The export')
  }
}

async function writeDraft(draft: string, content: ExportFile['content']): Promise<number> {
  const fd = openSync(draft, NEW_FILE, 0o600)
  try {
    fchmodSync(fd, 0o600)
    let at = 0
    const bytes = await pour(content, (piece) => {
      writeAllAt(fd, piece, at)
      at += piece.length
    })
    fsyncSync(fd)
    return bytes
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Small pieces are put together, so that writing costs little. */
const LARGE = 64 * 1024

async function pour(content: ExportFile['content'], write: (bytes: Uint8Array) => void): Promise<number> {
  let total = 0
  let held = ''
  const give = (bytes: Uint8Array) => {
    total += bytes.length
    write(bytes)
  }
  const giveHeld = () => {
    if (held !== '') give(Buffer.from(held))
    held = ''
  }
  for await (const piece of content) {
    if (typeof piece === 'string') held += piece
    if (typeof piece !== 'string' || held.length >= LARGE) giveHeld()
    if (typeof piece !== 'string') give(piece)
  }
  giveHeld()
  return total
}

/** What the file system refuses is told in a sentence. */
async function foreseen<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      const hint = 'Make it first, or name another place with --out.'
      throw new Failure('CANNOT_WRITE', `There is no folder ${dirname(path)}.`, { hint, cause: error })
    }
    throw asFailure(error, path, 'The export')
  }
}
