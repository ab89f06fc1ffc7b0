import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failure } from '../../core/failure.ts'
import { objectAt, parseJson, stringAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { makePrivateFolder } from '../../state/private-file.ts'
import { type Batch, type Delivery, type Sink, SinkTrouble } from '../sink.ts'
import { FolderJournal, markKey } from './folder-journal.ts'
import { logsOf } from './otlp-logs.ts'
import { TokenMetrics } from './otlp-metrics.ts'

export interface OtlpOptions {
  readonly token?: string | undefined
  /** Where it is remembered how far each log has been sent: who takes OTLP does not tell. */
  readonly stateFolder: string
  readonly timeoutMs?: number
  readonly now?: () => number
}

const pack = promisify(gzip)
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** What the protocol says to try again. */
const PASSING = new Set([429, 502, 503, 504])

/**
 * Sends records as OTLP logs, and tokens as metrics, over HTTP in JSON. At least once: what was sent and not noted before a crash is
 * sent again, with the same key. Nothing that was sent can be taken back.
 */
export function otlpSink(address: string, options: OtlpOptions): Sink {
  const base = baseOf(address)
  const { token, stateFolder, timeoutMs = 60_000, now = Date.now } = options
  const journals = new Map<string, FolderJournal>()
  const metrics = new TokenMetrics(now())
  const underway = new Set<AbortController>()

  function journalOf(machine: string): FolderJournal {
    makePrivateFolder(stateFolder)
    const journal = journals.get(machine) ?? new FolderJournal(stateFolder, machine)
    journals.set(machine, journal)
    return journal
  }

  /** Sends one request; gives what was said of it. */
  async function post(path: string, value: object): Promise<string | undefined> {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), timeoutMs)
    underway.add(stop)
    try {
      const response = await fetch(new URL(path, base), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: await pack(jsonText(value)),
        redirect: 'error',
        signal: stop.signal,
      })
      const text = await response.text()
      if (!response.ok) throw refused(response, text, base)
      const partial = objectAt(parseJson(text), 'partialSuccess')
      const said = stringAt(partial, 'errorMessage')
      return said === undefined || said === '' ? undefined : `${base.host} says: ${said}`
    } catch (error) {
      if (error instanceof SinkTrouble) throw error
      throw new SinkTrouble(`${base.host} cannot be reached.`, { passes: true, cause: error })
    } finally {
      clearTimeout(timer)
      underway.delete(stop)
    }
  }

  async function deliver(batch: Batch): Promise<Delivery> {
    const journal = journalOf(batch.machine.id)
    const { marks, batches, documents: known } = journal.delivered
    if (batches.has(batch.id)) return { added: 0, deadLetters: [], refused: [] }
    const rows = batch.rows.filter((row) => row.offset >= (marks.get(markKey(row))?.offset ?? 0))
    const documents = batch.documents.filter(({ file, contentHash }) => known.get(file) !== contentHash)
    const said: (string | undefined)[] = []
    if (rows.length + documents.length > 0)
      said.push(await post('v1/logs', logsOf(batch.machine, rows, documents, now())))
    const usage = metrics.take(batch.machine, rows, now())
    if (usage) said.push(await post('v1/metrics', usage))
    const hashes = Object.fromEntries(documents.map(({ file, contentHash }) => [file, contentHash]))
    await journal.append({ batch: batch.id, marks: batch.marks, documents: hashes })
    const purged = batch.tombstones.length === 0 ? [] : ['What was sent by OTLP cannot be taken back from here.']
    const notices = [...said.filter((one) => one !== undefined), ...purged]
    return { added: rows.length, deadLetters: [], refused: [], ...(notices.length > 0 && { notices }) }
  }

  return {
    open: async (machine) => void journalOf(machine.id),
    marks: async (machine) => [...journalOf(machine).delivered.marks.values()],
    deliver,
    close: async () => {
      for (const stop of underway) stop.abort()
    },
  }
}

/** `otlp://HOST:PORT/PATH`: encrypted, but on this machine. */
function baseOf(address: string): URL {
  const rest = address.slice('otlp://'.length)
  const named = URL.parse?.(`https://${rest}`) ?? new URL(`https://${rest}`)
  if (named.username || named.password) {
    throw new Failure('USAGE', 'An address must not hold a password: others can read it.', {
      hint: 'Put "token" into collect.json; it is sent as a bearer token.',
    })
  }
  const scheme = LOOPBACK.has(named.hostname) ? 'http' : 'https'
  const path = named.pathname.endsWith('/') ? named.pathname : `${named.pathname}/`
  const isBare = named.port === '' && !/:\d+(\/|$)/.test(rest)
  return new URL(`${scheme}://${named.hostname}:${isBare ? 4318 : named.port || 443}${path}`)
}

function refused({ status, headers }: Response, text: string, { host }: URL): SinkTrouble {
  const said = stringAt(parseJson(text), 'message')
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const passes = PASSING.has(status)
  return new SinkTrouble(`${host} took nothing (${status}).${said === undefined ? '' : ` It says: ${said}`}`, {
    passes,
    ...(seconds > 0 && { retryAfterMs: Math.min(seconds, 3600) * 1000 }),
    ...(!passes && { hint: 'Nothing is lost. Does it take OTLP over HTTP, as JSON, and is the token right?' }),
  })
}
