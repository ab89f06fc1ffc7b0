import type { JsonObject } from '../../core/json.ts'
import { TOKEN_KEYS } from '../../core/usage/usage.ts'
import type { TeamRow } from '../row.ts'

/** A column of Parquet: how it is declared, and what a row has in it. */
interface Column {
  readonly name: string
  readonly elements: readonly Element[]
  readonly value: (row: TeamRow) => unknown
}

interface Element {
  readonly name: string
  readonly type?: 'BYTE_ARRAY' | 'INT64' | 'BOOLEAN'
  readonly converted_type?: 'UTF8' | 'LIST' | 'TIMESTAMP_MILLIS'
  readonly repetition_type: 'REQUIRED' | 'OPTIONAL' | 'REPEATED'
  readonly num_children?: number
}

const text = (name: string): Element => {
  return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }
}
const number = (name: string): Element => ({ name, type: 'INT64', repetition_type: 'OPTIONAL' })
const flag = (name: string): Element => ({ name, type: 'BOOLEAN', repetition_type: 'OPTIONAL' })
const texts = (...names: readonly (keyof TeamRow & string)[]) =>
  names.map((name): Column => ({ name, elements: [text(name)], value: (row) => row[name] }))
const numbers = (...names: readonly ('generation' | 'offset' | 'line' | 'length')[]) =>
  names.map((name): Column => ({ name, elements: [number(name)], value: (row) => BigInt(row[name]) }))

/** The columns, in the order and with the names and nesting that lines of JSON have. */
const COLUMNS: readonly Column[] = [
  ...texts('machine', 'file'),
  ...numbers('generation', 'offset', 'line', 'length'),
  ...texts('user', 'project', 'session', 'agent'),
  {
    name: 'timestamp',
    elements: [{ name: 'timestamp', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'OPTIONAL' }],
    value: ({ timestamp }) => timestamp && new Date(timestamp),
  },
  ...texts('type', 'kind', 'role', 'uuid', 'parentUuid', 'version', 'gitBranch', 'messageId', 'requestId', 'model'),
  {
    name: 'tokens',
    elements: [
      { name: 'tokens', repetition_type: 'OPTIONAL', num_children: TOKEN_KEYS.length },
      ...TOKEN_KEYS.map(number),
    ],
    value: ({ tokens }) => tokens && Object.fromEntries(TOKEN_KEYS.map((key) => [key, BigInt(tokens[key])])),
  },
  {
    name: 'tools',
    elements: [
      { name: 'tools', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', num_children: 5 },
      ...[text('id'), text('name'), text('file'), flag('isResult'), flag('isError')],
    ],
    value: ({ tools }) => tools,
  },
  { name: 'isError', elements: [flag('isError')], value: ({ isError }) => isError },
  { name: 'content', elements: [text('content')], value: ({ content }) => Buffer.from(content).toString('utf8') },
  ...texts('contentHash'),
]

/** How a file declares itself. */
export const SCHEMA: readonly Element[] = [
  { name: 'root', num_children: COLUMNS.length, repetition_type: 'REQUIRED' },
  ...COLUMNS.flatMap(({ elements }) => elements),
]

/** Rows as columns. */
export function columnsOf(rows: readonly TeamRow[]): { readonly name: string; readonly data: unknown[] }[] {
  return COLUMNS.map(({ name, value }) => ({ name, data: rows.map(value) }))
}

/** A row as it was read, as the JSON that it would be. */
export function jsonOfColumns(row: Readonly<Record<string, unknown>>): JsonObject {
  return plain(row) as JsonObject
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}
