import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, objectAt, objectsAt, parseJson, stringAt, stringsAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import {
  fsyncSoon,
  readWhole,
  syncFolder,
  syncFolderSoon,
  writeAllAt,
  writePrivateFile,
} from '../../state/private-file.ts'
import type { Mark } from '../sink.ts'
import { markFromJson, markToJson } from '../wire.ts'

/** What a machine has delivered into a folder. */
export interface Delivered {
  readonly marks: Map<string, Mark>
  /** The hash of the newest content of each document, by file. */
  readonly documents: Map<string, string>
  /** Batches of late, so that one that comes again is known. */
  readonly batches: Set<string>
  /** Tombstones that were acted upon. */
  readonly purged: Set<string>
  /** Files of the last batch: one that was killed may have left them aside. */
  lastFiles: readonly string[]
}

/** One line of a journal: what became true at once. */
export interface Commit {
  readonly batch?: string
  /** The parts it wrote, below the folder. */
  readonly files?: readonly string[]
  readonly marks?: readonly Mark[]
  readonly documents?: Readonly<Record<string, string>>
  readonly purged?: readonly string[]
}

/** Whose mark it is. */
export function markKey({ file, generation }: Pick<Mark, 'file' | 'generation'>): string {
  return `${generation}\0${file}`
}

/**
 * The journal of one machine in a folder: a line is appended and flushed, and with that a batch is delivered. A line without
 * its newline is one that was cut off by a crash: it never happened.
 */
export class FolderJournal {
  readonly delivered: Delivered = {
    marks: new Map(),
    documents: new Map(),
    batches: new Set(),
    purged: new Set(),
    lastFiles: [],
  }
  readonly #folder: string
  readonly #path: string
  #size = 0

  constructor(folder: string, machine: string) {
    this.#folder = folder
    this.#path = join(folder, `${machine}.jsonl`)
    const bytes = readWhole(this.#path)
    if (!bytes) return
    this.#size = bytes.lastIndexOf(0x0a) + 1
    let commits = 0
    for (const line of bytes.toString('utf8', 0, this.#size).split('\n')) {
      const value = parseJson(line)
      const commit = value === undefined ? undefined : commitFrom(value)
      if (commit) this.#take(commit)
      commits += 1
    }
    if (commits > MOST_COMMITS) this.#compact()
  }

  /** Makes something true, for good. */
  async append(commit: Commit): Promise<void> {
    const bytes = Buffer.from(`${jsonText(toJson(commit))}\n`)
    const isNew = this.#size === 0
    const fd = openSync(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
    try {
      // What a crash left behind the last newline.
      if (fstatSync(fd).size > this.#size) ftruncateSync(fd, this.#size)
      writeAllAt(fd, bytes, this.#size)
      await fsyncSoon(fd)
    } finally {
      closeSync(fd)
    }
    if (isNew) await syncFolderSoon(this.#folder)
    this.#size += bytes.length
    this.#take(commit)
  }

  #take({ batch, files, marks, documents, purged }: Commit): void {
    const { delivered } = this
    for (const mark of marks ?? []) delivered.marks.set(markKey(mark), mark)
    for (const [file, hash] of Object.entries(documents ?? {})) delivered.documents.set(file, hash)
    for (const one of purged ?? []) delivered.purged.add(one)
    if (batch !== undefined) delivered.batches.add(batch)
    if (delivered.batches.size > MOST_BATCHES) delivered.batches.delete([...delivered.batches][0] as string)
    if (files) delivered.lastFiles = files
  }

  /** Many lines become one, in one step. */
  #compact(): void {
    const { marks, documents, purged, lastFiles, batches } = this.delivered
    const commit = { files: lastFiles, marks: [...marks.values()], documents: Object.fromEntries(documents) }
    const lines = [{ ...commit, purged: [...purged] }, ...[...batches].map((batch) => ({ batch }))]
    const bytes = Buffer.from(lines.map((line) => `${jsonText(toJson(line))}\n`).join(''))
    writePrivateFile(this.#path, bytes)
    syncFolder(this.#folder)
    this.#size = bytes.length
  }
}

const MOST_COMMITS = 5_000
const MOST_BATCHES = 1_000

function toJson(commit: Commit): object {
  return { ...commit, ...(commit.marks && { marks: commit.marks.map(markToJson) }) }
}

function commitFrom(value: unknown): Commit {
  const batch = stringAt(value, 'batch')
  const documents = objectAt(value, 'documents') ?? {}
  const hashes: [string, string][] = Object.entries(documents).flatMap(([file, hash]) =>
    typeof hash === 'string' ? [[file, hash]] : [],
  )
  return {
    ...(batch !== undefined && { batch }),
    ...(Array.isArray((value as JsonObject)?.files) && { files: stringsAt(value, 'files') }),
    marks: objectsAt(value, 'marks')
      .map(markFromJson)
      .filter((mark) => mark !== undefined),
    documents: Object.fromEntries(hashes),
    purged: stringsAt(value, 'purged'),
  }
}
