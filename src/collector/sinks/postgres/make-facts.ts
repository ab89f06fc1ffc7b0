import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonText } from '../../../core/json-text.ts'
import type { Row } from '../../../index/driver.ts'
import type { Batch } from '../../sink.ts'
import { type LogFacts, readLogFacts, type StoredDoc } from '../../team/log-facts.ts'
import { placeOfTeamFile } from '../../team/place.ts'
import { cleanText } from './binary-copy.ts'
import { type Sql, type Transaction, unlessLost } from './connect.ts'

/** A file of a machine whose rows go further than what is known of it. */
interface UnreadFile {
  readonly file: string
  readonly generation: number
  readonly reached: string
  readonly project: string
  readonly session: string | null
  readonly agent: string | null
}

/** How the server shows who reads back. */
export const FACTS_CONNECTION = 'annals facts'

const ROWS_AT_ONCE = 500
const DOCS_AT_ONCE = 500

/** Files that came in so few rows are followed as they grow; how long the end may wait for what is left. */
const SMALL_BATCH = 200
const LAST_MS = 600_000
/** A file is read again only after so many times as long as reading it took: one that grows costs a part of a core at most. */
const REST = 10

/**
 * Says what is in the files that machines have delivered: reads them back as they lie in the store, and puts beside them what lists,
 * sums and search ask. What a store knows so never says more than its records do. What is left undone, the next one finds.
 */
export class FactMaker {
  readonly #connect: () => Sql
  readonly #machines = new Set<string>()
  readonly #dueAt = new Map<string, number>()
  #making: Promise<void> | undefined

  constructor(connect: () => Sql) {
    this.#connect = connect
  }

  /** What an earlier run left unread of a machine is read in the end. */
  know(machine: string): void {
    this.#machines.add(machine)
  }

  /** Takes note of a delivery, and begins to read what has come to rest. */
  note({ machine, rows }: Batch): void {
    this.know(machine.id)
    const growing = new Set(rows.length > SMALL_BATCH ? rows.map(({ file }) => file) : [])
    // What goes wrong here is tried again with the next delivery.
    this.#making ??= this.#make(machine.id, growing)
      .catch(() => {})
      .finally(() => {
        this.#making = undefined
      })
  }

  /** Reads what is left, for a while. */
  async finish(): Promise<void> {
    const end = performance.now() + LAST_MS
    await Promise.race([this.#making, sleep(LAST_MS, undefined, { ref: false })])
    this.#dueAt.clear()
    for (const machine of this.#machines) await this.#make(machine, NONE, end).catch(() => {})
  }

  async #make(machine: string, growing: ReadonlySet<string>, end = Number.POSITIVE_INFINITY): Promise<void> {
    // A new one each time: one that was cut once may wait for ever when it is used again.
    const sql = this.#connect()
    try {
      const unread = await sql`select * from annals.unread(${machine})`
      for (const one of unread as unknown as readonly UnreadFile[]) {
        const start = performance.now()
        if (start > end) return
        if (growing.has(one.file) || (this.#dueAt.get(one.file) ?? 0) > start) continue
        await makeFactsOf(sql, machine, one)
        const now = performance.now()
        this.#dueAt.set(one.file, now + REST * (now - start))
      }
    } finally {
      await sql.end({ timeout: 1 }).catch(() => {})
    }
  }
}

const NONE: ReadonlySet<string> = new Set()

async function makeFactsOf(sql: Sql, machine: string, unread: UnreadFile): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-facts-'))
  try {
    const copy = await readBack(sql, machine, unread, folder)
    if (!copy) return
    await sql.begin((tx) => unlessLost(putFacts(tx, machine, unread, copy)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file as the store has it: where it lies, and where its records begin there and in the file they came from. */
interface Copy {
  readonly root: string
  readonly path: string
  readonly place: string
  readonly isLog: boolean
  readonly offsets: Float64Array
}

async function readBack(sql: Sql, machine: string, unread: UnreadFile, folder: string): Promise<Copy | undefined> {
  const { file, generation, project, session, agent } = unread
  const offsets: number[] = []
  let fd: number | undefined
  let found: { readonly place: string; readonly path: string; readonly isLog: boolean } | undefined
  let bytes = 0
  try {
    for (let after = -1; ; ) {
      const rows =
        await sql`select "offset", type, content from annals.content_of(${machine}, ${file}, ${generation}, ${after}, ${ROWS_AT_ONCE})`
      for (const { offset, type, content } of rows) {
        if (fd === undefined) {
          const isHistory = type === 'history'
          const place = placeOfTeamFile({ machine, file, project: project || null, session, agent, isHistory })
          if (place === undefined) return undefined
          const path = join(folder, place)
          mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
          fd = openSync(path, 'wx', 0o600)
          found = { place, path, isLog: !isHistory }
        }
        offsets.push(bytes, Number(offset))
        bytes += writeSync(fd, content as Buffer) + writeSync(fd, NEW_LINE)
      }
      if (rows.length < ROWS_AT_ONCE) break
      after = Number(rows.at(-1)?.offset)
    }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
  if (!found) return undefined
  const [owner = '', root = ''] = found.place.split('/')
  return { root: join(folder, owner, root), ...found, offsets: new Float64Array(offsets) }
}

const NEW_LINE = Buffer.from('\n')

async function putFacts(tx: Transaction, machine: string, unread: UnreadFile, copy: Copy): Promise<void> {
  const { path, root, place, offsets, isLog } = copy
  const { size, mtimeMs } = statSync(path)
  const told = { place, reached: unread.reached, bytes: size, records: offsets.length / 2 }
  let number: string | undefined
  const put = async (facts?: LogFacts) => {
    const packed = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const known = facts && {
      facts: JSON.stringify(facts.facts),
      turns: JSON.stringify(facts.turns),
      calls: JSON.stringify(facts.calls),
      keys: facts.keys,
    }
    const [row] = await tx`select annals.put_log(${machine}, ${unread.file}, ${unread.generation},
      ${jsonText({ ...told, ...known })}::text::json, ${facts ? packed(facts.tree) : null}, ${packed(new Uint8Array(offsets.buffer))}) as number`
    number = row?.number === null ? undefined : String(row?.number)
    for (const some of inParts(facts?.responses ?? [], DOCS_AT_ONCE))
      if (number !== undefined) await tx`select annals.put_held(${number}, ${jsonText(some.map(cleaned))}::text::json)`
  }
  if (!isLog) return await put()
  await readLogFacts({ root, path, sizeBytes: size, modifiedAt: mtimeMs }, put, async (docs) => {
    for (const some of inParts(docs, DOCS_AT_ONCE))
      if (number !== undefined) await tx`select annals.put_docs(${number}, ${jsonText(some.map(docRow))}::text::json)`
  })
}

function docRow({ isError, isLong, words, ...doc }: StoredDoc): object {
  return { ...cleaned(doc as unknown as Row), is_error: isError, is_long: isLong, words }
}

/** Texts of PostgreSQL hold neither NUL nor lone surrogates. */
function cleaned(row: Row): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? Buffer.from(cleanText(value)).toString() : value,
    ]),
  )
}

function* inParts<T>(items: readonly T[], most: number): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most)
}
