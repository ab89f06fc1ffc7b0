import { closeSync, fchmodSync, ftruncateSync, mkdirSync, openSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Warning } from '../../disk/warning.ts'
import { TEMPORARY, writeAllAt, writePrivateFile } from '../../state/private-file.ts'
import type { Sql } from '../sinks/postgres/connect.ts'
import type { SeenFile } from './mirror.ts'
import { type Places, placeOfTeamFile } from './place.ts'
import type { PulledFile, PulledState } from './state.ts'

/** Where files are copied to, and what is known of them. */
export interface PullInto {
  readonly folder: string
  readonly state: PulledState
  readonly places: Places
  readonly warn: (warning: Warning) => void
}

const ROWS_AT_ONCE = 500
const NEW_LINE = Buffer.from('\n')

/** Copies what is new of a file: its rows in order, each a line. Says whether there was anything. */
export async function pullFile(sql: Sql, into: PullInto, key: string, seen: SeenFile): Promise<boolean> {
  const { folder, state } = into
  const known = state.files.get(key)
  if (known && known.reached === seen.reached) return false
  const rows = sql`select "offset", type, content from annals.record
    where machine = ${seen.machine} and file = ${seen.file} and generation = ${seen.generation}
      and "offset" > ${known?.last ?? -1} order by "offset"`.cursor(ROWS_AT_ONCE)
  let copy: Copy | undefined
  try {
    for await (const some of rows) {
      for (const row of some) {
        copy ??= known ? append(folder, known) : begin(into, key, seen, row.type === 'history')
        if (!copy) return false
        write(copy, Number(row.offset), row.content as Buffer)
      }
    }
  } finally {
    if (copy) closeSync(copy.fd)
  }
  if (!copy) {
    if (known) state.files.set(key, { ...known, reached: seen.reached })
    return false
  }
  const path = join(folder, copy.path)
  if (seen.lastAt) utimesSync(copy.written, seen.lastAt, seen.lastAt)
  if (copy.written !== path) renameSync(copy.written, path)
  const { generation, reached, parts } = seen
  state.files.set(key, { path: copy.path, generation, last: copy.last, reached, bytes: copy.bytes, parts })
  return true
}

/** Copies the documents that changed; says whether some are no longer to be seen. */
export async function pullDocuments(sql: Sql, { folder, state, warn }: Omit<PullInto, 'places'>): Promise<boolean> {
  const seen = new Map<string, Readonly<Record<string, unknown>>>()
  for (const row of await sql`select machine, file, kind, content_hash, modified_at, project, session from annals.document`) {
    seen.set(`${row.machine} ${row.file}`, row)
  }
  let isForgetting = false
  for (const [key, { path }] of state.documents) {
    if (seen.has(key)) continue
    removeCopy(folder, path)
    state.documents.delete(key)
    isForgetting = true
  }
  for (const [key, row] of seen) {
    const hash = String(row.content_hash)
    if (state.documents.get(key)?.hash === hash) continue
    const file = String(row.file)
    // Names are hashed only where no content leaves, so this is what describes an agent; its call says the same of it.
    const path = file.startsWith('h:') ? undefined : placeOfTeamFile({ ...NOTHING, machine: String(row.machine), file })
    if (path === undefined) continue
    const [found] =
      await sql`select content from annals.document where machine = ${String(row.machine)} and file = ${file}`
    if (!found) continue
    try {
      makeFolders(folder, path)
      writePrivateFile(join(folder, path), found.content as Buffer)
      if (row.modified_at instanceof Date) utimesSync(join(folder, path), row.modified_at, row.modified_at)
      state.documents.set(key, { path, hash })
    } catch {
      warn({ file: path, message: 'It could not be copied from the team store.' })
    }
  }
  return isForgetting
}

const NOTHING = { project: null, session: null, agent: null, isHistory: false }

/** Removes a copied file. */
export function removeCopy(folder: string, path: string): void {
  rmSync(join(folder, path), { force: true })
}

interface Copy {
  readonly path: string
  /** Where it is written until it is whole. */
  readonly written: string
  readonly fd: number
  bytes: number
  last: number
}

function begin(into: PullInto, key: string, seen: SeenFile, isHistory: boolean): Copy | undefined {
  const place = placeOfTeamFile({ ...seen, isHistory })
  if (place === undefined) {
    into.warn({ file: seen.file, message: 'A file of the team store was left out: its name leads elsewhere.' })
    return undefined
  }
  const path = into.places.take(key, place)
  makeFolders(into.folder, path)
  const written = `${join(into.folder, path)}${TEMPORARY}`
  const fd = openSync(written, 'w', 0o600)
  fchmodSync(fd, 0o600)
  return { path, written, fd, bytes: 0, last: -1 }
}

/** Goes on where the last whole copy ended: what was written after it is not known to be whole. */
function append(folder: string, known: PulledFile): Copy {
  const written = join(folder, known.path)
  const fd = openSync(written, 'r+')
  ftruncateSync(fd, known.bytes)
  return { path: known.path, written, fd, bytes: known.bytes, last: known.last }
}

function write(copy: Copy, offset: number, content: Buffer): void {
  const line = Buffer.concat([content, NEW_LINE])
  writeAllAt(copy.fd, line, copy.bytes)
  copy.bytes += line.length
  copy.last = offset
}

function makeFolders(folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
}
