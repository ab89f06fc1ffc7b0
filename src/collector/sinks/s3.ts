import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Failure } from '../../core/failure.ts'
import { objectAt, objectsAt, parseJson, stringAt, stringsAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import type { TeamRow } from '../row.ts'
import { type Batch, type Delivery, type Mark, NOT_ITS_OWN, type Sink } from '../sink.ts'
import { tombstoneOf } from '../tombstone.ts'
import { documentToJson, MACHINE_ID, markFromJson, markToJson } from '../wire.ts'
import { markKey } from './folder-journal.ts'
import {
  byDay,
  decodePart,
  ENDINGS,
  encodePart,
  formatOf,
  type PartFormat,
  packLines,
  unpackLines,
} from './folder-parts.ts'
import { Bucket, type S3Access } from './s3-request.ts'

export interface S3Options {
  readonly access: { readonly [K in keyof S3Access | 'endpoint']?: string | undefined }
  readonly format?: PartFormat | undefined
}

/** What a machine has delivered. One object, written anew with each batch: with it the batch has happened. */
interface State {
  readonly marks: Map<string, Mark>
  readonly documents: Map<string, string>
  readonly batches: string[]
}

const MOST_BATCHES = 200

/**
 * The same folders as `folder:`, as objects of a bucket. Before a part is put, a note names it; what is noted and was never made to
 * count is removed on the next start, so that nothing is there twice. Each machine writes only what bears its name.
 */
export function s3Sink(address: string, options: S3Options): Sink {
  const bucket = bucketOf(address, options.access)
  const { format = 'parquet' } = options
  const states = new Map<string, State>()
  let queue: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }
  const stateName = (machine: string) => `_annals/${machine}.json.gz`
  const noteName = (machine: string) => `_annals/${machine}.next.json`

  async function stateOf(machine: string): Promise<State> {
    const known = states.get(machine)
    if (known) return known
    if (!MACHINE_ID.test(machine)) throw new Failure('BAD_INPUT', `"${machine}" is no name of a machine.`)
    const kept = await bucket.get(stateName(machine))
    const state = stateFrom(kept ? gunzipSync(kept).toString('utf8') : '')
    const note = parseJson((await bucket.get(noteName(machine)))?.toString('utf8') ?? '')
    if (!state.batches.includes(stringAt(note, 'batch') ?? '')) {
      for (const name of stringsAt(note, 'files')) await bucket.remove(name)
    }
    states.set(machine, state)
    return state
  }

  async function deliver(batch: Batch): Promise<Delivery> {
    const { id: machine } = batch.machine
    const state = await stateOf(machine)
    const { names: purged, hasForeign } = await purge(batch)
    const notices = hasForeign ? { notices: [NOT_ITS_OWN] } : {}
    if (state.batches.includes(batch.id)) return { added: 0, deadLetters: [], refused: [], ...notices }
    const refused = new Set<string>()
    const isPurged = (session: string | null) => {
      if (session === null || !purged.has(tombstoneOf(session))) return false
      refused.add(tombstoneOf(session))
      return true
    }
    const isNew = (row: TeamRow) => row.offset >= (state.marks.get(markKey(row))?.offset ?? 0)
    const rows = batch.rows.filter((row) => isNew(row) && !isPurged(row.session))
    const documents = batch.documents.filter(
      ({ file, contentHash, session }) => state.documents.get(file) !== contentHash && !isPurged(session),
    )
    const name = shortHash(`${machine}\0${batch.id}`)
    const parts = [...byDay(rows)].map(([day, part]) => {
      return { below: `records/day=${day}/source=${machine}/${name}${ENDINGS[format]}`, part }
    })
    if (parts.length > 0) {
      const note = { batch: batch.id, files: parts.map(({ below }) => below) }
      await bucket.put(noteName(machine), Buffer.from(jsonText(note)))
    }
    for (const { below, part } of parts) await bucket.put(below, await encodePart(part, format))
    for (const document of documents) {
      const below = `documents/machine=${machine}/${shortHash(document.file)}${ENDINGS.jsonl}`
      await bucket.put(below, await packLines([documentToJson(document)]))
      state.documents.set(document.file, document.contentHash)
    }
    for (const mark of batch.marks) state.marks.set(markKey(mark), mark)
    state.batches.push(batch.id)
    state.batches.splice(0, state.batches.length - MOST_BATCHES)
    try {
      await bucket.put(stateName(machine), gzipSync(stateText(state)))
    } catch (error) {
      // Whether it is there, only the bucket knows.
      states.delete(machine)
      throw error
    }
    return { added: rows.length, deadLetters: [], refused: [...refused], ...notices }
  }

  /** Heeds tombstones: those of a receiver for its machine alone. Says which are there. */
  async function purge({ machine, tombstones, isOwnPurge = false }: Batch) {
    const own = `tombstones/machine=${machine.id}/`
    const place = isOwnPurge ? own : 'tombstones/'
    let hasForeign = false
    for (const name of tombstones.filter((one) => /^[0-9a-f]{64}$/.test(one))) {
      await bucket.put(`${place}${name}`, Buffer.from('A session was purged; nothing of it is taken again.\n'))
      const isMet = await removeSession(name, isOwnPurge ? machine.id : undefined)
      hasForeign ||= isOwnPurge && !isMet
    }
    const names = (await bucket.list('tombstones/')).filter((one) => one.startsWith(own) || !one.includes('machine='))
    return { names: new Set(names.map((one) => basename(one))), hasForeign }
  }

  async function removeSession(tombstone: string, machine: string | undefined): Promise<boolean> {
    const isGone = (session: string | null | undefined) =>
      Boolean(session) && tombstoneOf(session as string) === tombstone
    const isMeant = (name: string) => machine === undefined || name.includes(`=${machine}/`)
    let isMet = false
    for (const name of (await bucket.list('records/')).filter(isMeant)) {
      const rows = await decodePart((await bucket.get(name)) ?? new Uint8Array(0), formatOf(name))
      const kept = rows.filter(({ session }) => !isGone(session))
      if (kept.length === rows.length) continue
      isMet = true
      if (kept.length === 0) await bucket.remove(name)
      else await bucket.put(name, await encodePart(kept, formatOf(name)))
    }
    for (const name of (await bucket.list('documents/')).filter(isMeant)) {
      const found = unpackLines((await bucket.get(name)) ?? gzipSync(''))
      if (!found.some((one) => isGone(stringAt(one, 'session')))) continue
      isMet = true
      await bucket.remove(name)
    }
    return isMet
  }

  return {
    open: (machine) => inOrder(async () => void (await stateOf(machine.id))),
    marks: (machine) => inOrder(async () => [...(await stateOf(machine)).marks.values()]),
    deliver: (batch) => inOrder(() => deliver(batch)),
    check: async () => void (await bucket.list('_annals/check')),
    close: () => queue.then(() => {}),
  }
}

function stateFrom(text: string): State {
  const value = parseJson(text)
  const marks = objectsAt(value, 'marks').flatMap((one) => markFromJson(one) ?? [])
  const documents = Object.entries(objectAt(value, 'documents') ?? {})
  return {
    marks: new Map(marks.map((mark) => [markKey(mark), mark])),
    documents: new Map(documents.map(([file, hash]) => [file, String(hash)])),
    batches: [...stringsAt(value, 'batches')],
  }
}

function stateText({ marks, documents, batches }: State): string {
  const kept = {
    version: 1,
    marks: [...marks.values()].map(markToJson),
    documents: Object.fromEntries(documents),
    batches,
  }
  return jsonText(kept)
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20)
}

/** `s3://BUCKET/PREFIX`. Off AWS the endpoint is named in AWS_ENDPOINT_URL; without encryption only on this machine. */
function bucketOf(address: string, { endpoint, ...access }: S3Options['access']): Bucket {
  const { host: name, pathname } = new URL(address)
  const { accessKeyId, secretAccessKey, sessionToken, region = 'us-east-1' } = access
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Failure('CANNOT_RUN', 'There are no credentials for the bucket.', {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    })
  }
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const base =
    endpoint === undefined ? `https://${name}.s3.${region}.amazonaws.com` : `${endpoint.replace(/\/+$/, '')}/${name}`
  const { protocol, hostname, host } = new URL(base)
  if (protocol !== 'https:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    throw new Failure('USAGE', `${host} is another machine; records go there only encrypted.`, {
      hint: 'Use https://.',
    })
  }
  return new Bucket(base, prefix === '' ? '' : `${prefix}/`, { accessKeyId, secretAccessKey, sessionToken, region })
}
