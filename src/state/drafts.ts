import { existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { numberAt, parseJson, textAt } from '../core/json.ts'
import { isAlive, lookAtProcess } from '../disk/live.ts'
import { listFolder } from '../disk/small-file.ts'
import { makePrivateFolder, readWhole, removeIfEmpty, writePrivateFile } from './private-file.ts'

/** Something half-done that a process writes, or has left. */
export interface Draft {
  /** A file or folder that nobody else uses. */
  readonly path: string
  /** The process that is writing it; `undefined` where it was killed. */
  readonly writer: number | undefined
  readonly note: string
}

/** What the last part of a draft's name ends with: nothing else is ever removed. */
const DRAFT_NAME = /^\..*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A name that is hidden, and that no other has, for something that is not whole yet. */
export function draftName(about: string): string {
  return `.${about}${crypto.randomUUID()}`
}

/**
 * Notes where something half-done will lie, before it does: who comes after a process that was killed finds it by the note.
 * Gives what ends the note. Where no note can be kept, there is none.
 */
export function noteDraft(dataDir: string | undefined, path: string): () => void {
  if (dataDir === undefined) return () => {}
  const folders = [notesFolder(dataDir), ...(existsSync(dataDir) ? [] : [dataDir])]
  const note = join(notesFolder(dataDir), `${crypto.randomUUID()}.json`)
  const procStart = lookAtProcess(process.pid).startTicks?.toString() ?? null
  const bytes = Buffer.from(JSON.stringify({ path, pid: process.pid, procStart }))
  // Twice: another process may end its last note, and the folder with it, between the two steps.
  if (!isWritten(note, bytes) && !isWritten(note, bytes)) return () => {}
  return () => {
    rmSync(note, { force: true })
    for (const folder of folders) removeIfEmpty(folder)
  }
}

function isWritten(note: string, bytes: Uint8Array): boolean {
  try {
    makePrivateFolder(dirname(note))
    writePrivateFile(note, bytes)
    return true
  } catch {
    return false
  }
}

/** What is half-done, by its notes. */
export function listDrafts(dataDir: string): readonly Draft[] {
  return listFolder(notesFolder(dataDir), []).map(({ path: note }) => {
    const value = parseJson(readWhole(note)?.toString('utf8') ?? '')
    const path = textAt(value, 'path') ?? ''
    const pid = numberAt(value, 'pid') ?? 0
    const claim = { pid, startedAt: null, procStart: textAt(value, 'procStart') ?? null }
    return { path, note, writer: isAlive(claim, lookAtProcess(pid)) ? pid : undefined }
  })
}

/** Removes what killed processes have left; gives the paths that were there. What cannot be removed keeps its note. */
export function removeDeadDrafts(dataDir: string): readonly string[] {
  const dead = listDrafts(dataDir).filter(({ writer }) => writer === undefined)
  return dead.flatMap(({ path, note }) => {
    const isThere = DRAFT_NAME.test(basename(path)) && existsSync(path)
    if (isThere && !isRemoved(path)) return []
    isRemoved(note)
    return isThere ? [path] : []
  })
}

/** Removes a file or a folder with all that is in it; says no where the system does. */
export function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

function notesFolder(dataDir: string): string {
  return join(dataDir, 'drafts')
}
