import { futimesSync, lstatSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { Warning } from '../disk/warning.ts'
import { asFailure, putInPlace, syncFolder, writeAllAt, writeNewFile } from '../state/private-file.ts'
import { type Archive, readGeneration } from './archive.ts'
import { beginsWith, logsLast, makeFolders, takeBack, targetIn } from './into-root.ts'
import { isSafePath, RESTORING } from './kept-files.ts'
import { type KeptFile, newest } from './kept-state.ts'

/** What a restore did. */
export interface Restored {
  readonly written: readonly RestoredFile[]
  /** Files that were there already, with all that the archive has of them. */
  readonly present: readonly RestoredFile[]
  /** Files that could not be restored. */
  readonly problems: readonly Warning[]
}

export interface RestoredFile {
  readonly file: string
  readonly sizeBytes: number
}

export interface RestoreOptions {
  /** The root to put files into; without it, each goes back to its own. */
  readonly to?: string | undefined
  readonly now: Date
}

/** A file that is written and waits to be put in its place. */
interface Draft {
  readonly temporary: string
  readonly target: string
  readonly sizeBytes: number
}

/**
 * Puts files back, byte for byte, with the time of now, so that the next sweep does not take them at once. Nothing is ever
 * overwritten and no link followed: where something else stands in the place of one file, none is written. All are written and
 * checked under other names first; the log of a session appears last.
 */
export function restoreFiles(archive: Archive, files: readonly KeptFile[], options: RestoreOptions): Restored {
  const written: RestoredFile[] = []
  const present: RestoredFile[] = []
  const problems: Warning[] = []
  const drafts: Draft[] = []
  const made: string[] = []
  try {
    const todo = logsLast(files).flatMap((file) => {
      if (!isSafePath(file.path))
        throw new Failure('CANNOT_WRITE', `"${file.path}" is not a path that annals writes to.`)
      const target = targetIn(options.to ?? file.root, file.path)
      // Left by one that was killed.
      rmSync(`${target}${RESTORING}`, { force: true })
      const state = compareKept(archive, file, target)
      if (state === 'different') throw different(target)
      if (state === 'present') present.push({ file: target, sizeBytes: newest(file)?.seen?.bytes ?? 0 })
      return state === 'absent' ? [{ file, target }] : []
    })
    for (const { file, target } of todo) {
      const draft = writeDraft(archive, file, {
        target,
        root: options.to ?? file.root,
        made,
        now: options.now,
      })
      if (typeof draft === 'string') problems.push({ file: target, message: `It could not be restored: ${draft}.` })
      else drafts.push(draft)
    }
    for (const draft of drafts) {
      if (!putInPlace(draft.temporary, draft.target)) throw different(draft.target)
      written.push({ file: draft.target, sizeBytes: draft.sizeBytes })
    }
    for (const folder of new Set(drafts.map(({ target }) => dirname(target)))) syncFolder(folder)
    return { written, present, problems }
  } catch (error) {
    for (const { temporary } of drafts) rmSync(temporary, { force: true })
    takeBack(made)
    throw asFailure(error, options.to ?? files[0]?.root ?? archive.folder)
  }
}

function different(path: string): Failure {
  const hint = 'Nothing was written. Restore into another folder with --to.'
  return new Failure('CANNOT_WRITE', `${path} already exists, and differs from what was kept.`, { hint })
}

/** A file that has all that was kept, and perhaps more at its end, needs no restoring. */
export function compareKept(archive: Archive, file: KeptFile, target: string): 'absent' | 'present' | 'different' {
  const stats = lstatSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return 'absent'
  const generation = newest(file)
  if (!generation || !stats.isFile()) return 'different'
  const isThere = beginsWith(target, generation.seen?.bytes ?? 0, readGeneration(archive, generation, {}))
  return isThere ? 'present' : 'different'
}

/** Writes a file under another name. Gives words where the archive does not have it whole. */
function writeDraft(
  archive: Archive,
  file: KeptFile,
  { target, root, made, now }: { readonly target: string; readonly root: string; readonly made: string[]; now: Date },
): Draft | string {
  const generation = newest(file)
  if (!generation || file.isDamaged) return 'part of its entry in the manifest is lost'
  makeFolders(dirname(target), root, made)
  const temporary = `${target}${RESTORING}`
  const written = writeNewFile(temporary, (fd) => {
    let offset = 0
    const reading = readGeneration(archive, generation)
    for (let step = reading.next(); ; step = reading.next()) {
      if (step.done) {
        futimesSync(fd, now, now)
        return step.value ?? offset
      }
      writeAllAt(fd, step.value, offset)
      offset += step.value.length
    }
  })
  if (typeof written === 'number') return { temporary, target, sizeBytes: written }
  rmSync(temporary, { force: true })
  return written
}
