import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { isObject, type JsonObject, parseJson } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { TOKEN_KEYS } from '../../core/usage/usage.ts'
import type { TeamRow } from '../row.ts'
import { rowFromJson, rowToJson } from '../wire.ts'

/** How rows lie in a folder: a JSON object per line, packed, or columns. */
export type PartFormat = 'jsonl' | 'parquet'

/** What the name of a part ends with. */
export const ENDINGS: Readonly<Record<PartFormat, string>> = { jsonl: '.jsonl.gz', parquet: '.parquet' }

const pack = promisify(gzip)

/** Objects as lines, packed. The same objects give the same bytes. */
export async function packLines(objects: Iterable<JsonObject>): Promise<Uint8Array> {
  const lines = Array.from(objects, (object) => `${jsonText(object)}\n`)
  return pack(lines.join(''))
}

/** The objects of packed lines. */
export function unpackLines(bytes: Uint8Array): readonly JsonObject[] {
  return gunzipSync(bytes)
    .toString('utf8')
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}

/** The bytes of a part. */
export async function encodePart(rows: readonly TeamRow[], format: PartFormat): Promise<Uint8Array> {
  return format === 'jsonl' ? packLines(rows.map(rowToJson)) : encodeParquet(rows)
}

/** The rows of a part, whatever its format. */
export async function readPart(path: string): Promise<readonly TeamRow[]> {
  const bytes = readFileSync(path)
  const objects = path.endsWith(ENDINGS.parquet) ? await decodeParquet(bytes) : unpackLines(bytes)
  return objects.map(rowFromJson).filter((row) => row !== undefined)
}

const TEXTS = [
  'machine',
  'file',
  'user',
  'project',
  'session',
  'agent',
  'type',
  'kind',
  'role',
  'uuid',
  'parentUuid',
  'version',
  'gitBranch',
  'messageId',
  'requestId',
  'model',
  'contentHash',
] as const
const NUMBERS = ['generation', 'offset', 'line', 'length'] as const

async function encodeParquet(rows: readonly TeamRow[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer')
  const made = parquetWriteBuffer({
    columnData: [
      ...TEXTS.map((name) => ({ name, data: rows.map((row) => row[name]), type: 'STRING' as const })),
      ...NUMBERS.map((name) => ({ name, data: rows.map((row) => BigInt(row[name])), type: 'INT64' as const })),
      { name: 'timestamp', data: rows.map((row) => row.timestamp && new Date(row.timestamp)), type: 'TIMESTAMP' },
      ...TOKEN_KEYS.map((name) => ({
        name,
        data: rows.map((row) => (row.tokens ? BigInt(row.tokens[name]) : null)),
        type: 'INT64' as const,
      })),
      { name: 'isError', data: rows.map((row) => row.isError), type: 'BOOLEAN' },
      { name: 'tools', data: rows.map((row) => jsonText(row.tools)), type: 'STRING' },
      { name: 'content', data: rows.map((row) => Buffer.from(row.content).toString('utf8')), type: 'STRING' },
    ],
  })
  return new Uint8Array(made)
}

async function decodeParquet(bytes: Uint8Array): Promise<readonly JsonObject[]> {
  const { parquetReadObjects } = await import('hyparquet')
  const file = new Uint8Array(bytes).buffer
  const rows = await parquetReadObjects({ file })
  return rows.map((row) => {
    const made: Record<string, JsonObject[string]> = {}
    for (const [name, value] of Object.entries(row)) {
      made[name] = typeof value === 'bigint' ? Number(value) : value instanceof Date ? value.toISOString() : value
    }
    const hasTokens = typeof made.inputTokens === 'number'
    const tokens = hasTokens ? Object.fromEntries(TOKEN_KEYS.map((key) => [key, made[key]])) : null
    return { ...made, tokens, tools: parseJson(String(made.tools)) ?? [] }
  })
}
