import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { booleanAt, isObject, type JsonValue, objectAt, parseJson, textAt } from '../core/json.ts'
import { takeLock } from './lock.ts'
import { asFailure, makePrivateFolder, readWhole, syncFolder, writePrivateFile } from './private-file.ts'

/** What a person noted of a session, of which the client knows nothing. */
export interface Mark {
  readonly starred: boolean
  readonly note: string | null
}

/** The longest note that is taken. */
export const MOST_NOTE = 4_000

const NO_MARK: Mark = { starred: false, note: null }

/** What is noted of sessions, by their ids. What cannot be read is nothing: lists go on without it. */
export function readMarks(dataDir: string | undefined): ReadonlyMap<string, Mark> {
  const value = dataDir === undefined ? undefined : parseJson(readable(dataDir) ?? '')
  return new Map(Object.entries(objectAt(value, 'sessions') ?? {}).map(([id, mark]) => [id, toMark(mark)]))
}

/** Changes what is noted of a session, and gives what is noted then. Others may do so at the same time. */
export function changeMark(dataDir: string, session: string, change: (mark: Mark) => Mark): Mark {
  try {
    return changeLocked(dataDir, session, change)
  } catch (error) {
    throw asFailure(error, join(dataDir, 'marks'), 'The file of stars and notes')
  }
}

function changeLocked(dataDir: string, session: string, change: (mark: Mark) => Mark): Mark {
  makePrivateFolder(dataDir)
  const lock = takeLock(join(dataDir, 'marks'), { what: 'stars and notes' })
  try {
    const text = readText(dataDir)
    if (text !== undefined && !isObject(parseJson(text))) {
      const hint = 'Nothing was changed. Move the file away to start again.'
      throw new Failure('CANNOT_RUN', `${pathOf(dataDir)} cannot be read.`, { hint })
    }
    const marks = new Map(readMarks(dataDir))
    const mark = change(marks.get(session) ?? NO_MARK)
    if (mark.starred || mark.note !== null) marks.set(session, mark)
    else marks.delete(session)
    const written = { version: 1, sessions: Object.fromEntries(marks) }
    writePrivateFile(pathOf(dataDir), Buffer.from(`${JSON.stringify(written, null, 2)}\n`))
    syncFolder(join(dataDir, 'marks'))
    return mark
  } finally {
    lock.release()
  }
}

/** A mark as it was written down somewhere. */
export function toMark(value: JsonValue | undefined): Mark {
  return { starred: booleanAt(value, 'starred') ?? false, note: textAt(value, 'note') ?? null }
}

function readable(dataDir: string): string | undefined {
  try {
    return readText(dataDir)
  } catch {
    return undefined
  }
}

function readText(dataDir: string): string | undefined {
  return readWhole(pathOf(dataDir))?.toString('utf8')
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'marks', 'marks.json')
}
