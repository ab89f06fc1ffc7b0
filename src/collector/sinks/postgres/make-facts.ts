import { jsonText } from '../../../core/json-text.ts'
import type { Row } from '../../../index/driver.ts'
import { type LogFacts, readLogFacts, type StoredDoc } from '../../team/log-facts.ts'
import { searchedWords } from '../../team/searched-words.ts'
import { spacedParts, spacedWords } from '../../team/spaced-words.ts'
import type { FactStore, ReadBack, UnreadFile } from '../fact-maker.ts'
import type { Store, Transaction } from './connect.ts'
import { cleanText } from './pg-text.ts'

/** A file to be read, and how far its rows go. */
interface Unread extends UnreadFile {
  readonly reached: string
}

/** How the server shows who reads back. */
export const FACTS_CONNECTION = 'annals facts'

const DOCS_AT_ONCE = 500

/** A PostgreSQL that is told what is in the files that it has, by a connection of its own: no delivery waits for it, or is lost with it. */
export function postgresFacts(connect: () => Store): FactStore<Unread> {
  let store: Store | undefined
  const asked = <T>(work: (tx: Transaction) => Promise<T>) => {
    store ??= connect()
    return store.ask(work)
  }
  return {
    unread: async (machine) => {
      const found = await asked((tx) => tx`select * from annals.unread(${machine})`)
      return found.map((one) => ({ ...(one as unknown as Unread), project: one.project || null }))
    },
    records: async (machine, { file, generation }, after, most) => {
      const found = await asked(
        (tx) =>
          tx`select "offset", type, content from annals.content_of(${machine}, ${file}, ${generation}, ${after}, ${most})`,
      )
      return found.map(({ offset, type, content }) => ({ offset: Number(offset), type, content }))
    },
    put: (machine, file, copy) => asked((tx) => putFacts(tx, machine, file, copy)),
    // One that was cut once may wait for ever when it is used again, so each time has its own.
    release: async () => {
      const used = store
      store = undefined
      await used?.close(1).catch(() => {})
    },
  }
}

async function putFacts(tx: Transaction, machine: string, unread: Unread, copy: ReadBack): Promise<void> {
  const { place, bytes, log } = copy
  const offsets = new Float64Array(copy.offsets)
  const told = { place, reached: unread.reached, bytes, records: offsets.length / 2 }
  let number: string | undefined
  const put = async (facts?: LogFacts) => {
    const packed = (given: Uint8Array) => Buffer.from(given.buffer, given.byteOffset, given.byteLength)
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
  if (!log) return await put()
  await readLogFacts(log, put, async (docs) => {
    for (const some of inParts(docs, DOCS_AT_ONCE))
      if (number !== undefined) await tx`select annals.put_docs(${number}, ${jsonText(some.map(docRow))}::text::json)`
  })
}

function docRow({ text, parts, isError, ...doc }: StoredDoc): object {
  const { words, isLong } = searchedWords(text, parts)
  const spaced = isLong && { spaced: cleanText(spacedWords(text)), spaced_parts: cleanText(spacedParts(parts)) }
  return { ...cleaned(doc as unknown as Row), is_error: isError, is_long: isLong, words, ...spaced }
}

function cleaned(row: Row): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value]),
  )
}

function* inParts<T>(items: readonly T[], most: number): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most)
}
