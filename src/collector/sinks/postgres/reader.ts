import { RESPONSE_NUMBERS } from '../../../core/facts/response-rows.ts'
import { wordsQuery } from '../../team/searched-words.ts'
import { inARow, spacedCondition } from '../../team/spaced-words.ts'
import {
  type Columns,
  NOTHING_FOUND,
  type StoredDocument,
  type StoredLog,
  type StoreReader,
  type WhichHeld,
} from '../../team/store-reader.ts'
import type { AddressDefaults } from './address.ts'
import { postgresAsker } from './ask.ts'
import { both, countedAndListed, filtered, hitsIn, newestFirst, partStarts } from './found-words.ts'
import { cleanText, listOf } from './pg-text.ts'

const HELD = ['log', 'message', 'request', 'model', 'geo', ...RESPONSE_NUMBERS]
/** In one order: fractions of a cent add up to others in another. */
const SUM_KEYS = ['log', 'quarter', 'model', 'geo', 'fast', 'prompt_class', 'sidechain', 'abandoned']
const SUMS = [
  ...SUM_KEYS,
  ...['responses', 'rows', 'placeholders', 'input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches'],
]

const LISTED = [
  ...['id', 'machine', 'file', 'place', 'generation', 'reached', 'bytes', 'records', 'lastAt', 'hasFacts'],
  'hasSummaries',
]
const LOGS = `select id, machine, file, place, generation, reached, bytes, records,
  floor(extract(epoch from coalesce(last_at, arrived_at)) * 1000)::bigint as "lastAt", facts is not null as "hasFacts",
  coalesce(position('"summaries":[{' in facts) > 0, false) as "hasSummaries" from annals.my_log order by id`
/** As JSON, so that they are read together with all else. */
const FACTS = 'select id as log, facts::json as facts from annals.my_log where facts is not null'
const DOCUMENTS = `select machine, file, length(content) as bytes, content_hash as hash,
  floor(extract(epoch from modified_at) * 1000)::bigint as "modifiedAt" from annals.document`
const FOUND = 'log, line, "offset", length, time, role, kind, copy'
const SIDECARS = `select machine, file, content from annals.document
  where (file like '%.meta.json' or file like '%custom-title.json') and length(content) < 65536`
const SHARED = `select ${quotedNames(HELD)} from annals.my_held where shared`

/** Reads a PostgreSQL team store. Its views decide which rows the reader may see. */
export function postgresReader(url: string, defaults: AddressDefaults = {}): StoreReader {
  const ask = postgresAsker(url, defaults)
  const ofLogs = (column: string, logs: readonly number[] | undefined) => {
    const only = logs ? ` and id = any ($1::bigint[])` : ''
    return ask.json<{ log: number; text: string }>(
      `select id as log, ${column} as text from annals.my_log where ${column} is not null${only}`,
      logs ? [listOf(logs)] : [],
    )
  }
  /** Where the parts begin that a search looks through one after the other. */
  let starts: readonly number[] | undefined = []
  return {
    shown: ask.shown,
    logs: async () => {
      const logs = storedLogs(await ask.columns(LISTED, LOGS))
      starts = partStarts(logs)
      return logs
    },
    facts: (logs) => (logs ? ask.json(`${FACTS} and id = any ($1::bigint[])`, [listOf(logs)]) : ask.json(FACTS)),
    documents: () => ask.json<StoredDocument>(DOCUMENTS),
    sidecars: async () =>
      (await ask.rows(SIDECARS)).map(({ machine, file, content }) => ({
        machine: String(machine),
        file: String(file),
        text: Buffer.from(content as Uint8Array).toString(),
      })),
    keyHolders: async (keys) =>
      keys.length === 0 ? [] : ask.json('select log, key from annals.key_holder', [], { 'annals.keys': listOf(keys) }),
    sharedResponses: () => ask.columns(HELD, SHARED),
    responses: (which, columns = HELD) => {
      const { where, values } = bounds(which)
      const rows = `select ${quotedNames(columns)} from annals.my_held where not shared${where}`
      // Whoever asks for some time puts them into the order of their times.
      return ask.columns(columns, which.since === undefined ? `${rows} order by log, number` : rows, values)
    },
    sums: (which) => {
      const { where, values } = quarters(which)
      return ask.columns(SUMS, `select ${SUMS} from annals.my_sum where ${where} order by ${SUM_KEYS}`, values)
    },
    turns: (logs) => ofLogs('turns', logs),
    calls: (logs) => ofLogs('calls', logs),
    trees: async (logs) => {
      const rows = await ask.rows(
        `select id, tree from annals.my_log where tree is not null${logs ? ' and id = any ($1::bigint[])' : ''}`,
        logs ? [listOf(logs)] : [],
      )
      return rows.map(({ id, tree }) => ({ log: Number(id), packed: tree as Uint8Array }))
    },
    find: async (query, filter, logs, most) => {
      const words = wordsQuery(query)
      if (!words) return NOTHING_FOUND
      const { where, values } = filtered(filter, logs)
      const find = async (which: string, sought: string, more: readonly string[] = []) => {
        const newest = newestFirst(starts, (part) => `select ${FOUND} from annals.found where ${which}${part}${where}`)
        const settings = { 'annals.query': sought, work_mem: '64MB' }
        return hitsIn(await ask.rows(countedAndListed(newest, most), [...values, ...more], settings))
      }
      // The store's index finds single words for sure; whether they stand in a row, only a long text itself can tell.
      if (words.exact === words.loose) return find('true', words.exact)
      const rows: string[] = []
      const inText = spacedCondition(query, (column, sought, isPrefix) => {
        const at = values.length + rows.push(cleanText(inARow(sought, isPrefix)))
        return `position($${at} in ${column === 'words' ? 'spaced' : 'spaced_parts'}) > 0`
      })
      const [inShort, inLong] = await Promise.all([
        find('not is_long', words.exact),
        find(`is_long and (spaced is null or ${inText})`, words.loose, rows),
      ])
      return both(inShort, inLong)
    },
    offsets: async (logs) => {
      const rows = await ask.rows(
        'select id, offsets from annals.my_log where offsets is not null and id = any ($1::bigint[])',
        [listOf(logs)],
      )
      return rows.map(({ id, offsets }) => ({
        log: Number(id),
        offsets: new Float64Array(new Uint8Array(offsets as Uint8Array).buffer),
      }))
    },
    records: async (log, from, to) => {
      const rows = await ask.rows(
        'select "offset", content from annals.my_record where log = $1 and "offset" >= $2 and "offset" < $3 order by "offset" limit 1000',
        [log, from, to],
      )
      return rows.map(({ offset, content }) => ({ offset: Number(offset), content: content as Uint8Array }))
    },
    recordsAt: async (places) => {
      const rows = await ask.rows('select log, "offset", content from annals.record_at', [], {
        'annals.logs': listOf(places.map(({ log }) => log)),
        'annals.offsets': listOf(places.map(({ offset }) => offset)),
      })
      return rows.map(({ log, offset, content }) => ({
        log: Number(log),
        offset: Number(offset),
        content: content as Uint8Array,
      }))
    },
    document: async (machine, file) => {
      const [row] = await ask.rows('select content from annals.document where machine = $1 and file = $2', [
        machine,
        file,
      ])
      return row?.content as Uint8Array | undefined
    },
    close: () => ask.close(),
  }
}

/** Field by field: made of their names, thousands take ten times as long. */
function storedLogs({ id = [], machine = [], file = [], place = [], ...rest }: Columns): readonly StoredLog[] {
  const {
    generation = [],
    reached = [],
    bytes = [],
    records = [],
    lastAt = [],
    hasFacts = [],
    hasSummaries = [],
  } = rest
  return id.map((_, nth) => ({
    id: Number(id[nth]),
    machine: String(machine[nth]),
    file: String(file[nth]),
    place: String(place[nth]),
    generation: Number(generation[nth]),
    reached: Number(reached[nth]),
    bytes: Number(bytes[nth]),
    records: Number(records[nth]),
    lastAt: lastAt[nth] === null ? null : Number(lastAt[nth]),
    hasFacts: Boolean(hasFacts[nth]),
    hasSummaries: Boolean(hasSummaries[nth]),
  }))
}

function quotedNames(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

function bounds({ since, logs = [], only }: WhichHeld): {
  readonly where: string
  readonly values: readonly unknown[]
} {
  if (only) return { where: ' and log = any ($1::bigint[])', values: [listOf(only)] }
  if (since === undefined) return { where: '', values: [] }
  const from = Math.floor(since) - 900_000
  // The month lets partitions be passed over.
  const where = ' and ((time >= $1 and month >= annals.month_of($1)) or log = any ($2::bigint[]))'
  return logs.length > 0
    ? { where, values: [from, listOf(logs)] }
    : { where: ' and time >= $1 and month >= annals.month_of($1)', values: [from] }
}

/** The same for sums: the quarter in which it begins is whole. */
function quarters({ since, logs = [], only }: WhichHeld): {
  readonly where: string
  readonly values: readonly unknown[]
} {
  if (only) return { where: 'log = any ($1::bigint[])', values: [listOf(only)] }
  if (since === undefined) return { where: 'true', values: [] }
  const from = Math.floor(since / 900_000) - 1
  return { where: '(quarter >= $1 or log = any ($2::bigint[]))', values: [from, listOf(logs)] }
}
