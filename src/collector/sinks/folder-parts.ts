import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, createGzip, gunzipSync, gzip } from 'node:zlib'
import { isObject, type JsonObject, parseJson } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import type { TeamRow } from '../row.ts'
import { rowFromJson, rowToJson } from '../wire.ts'
import { columnsOf, jsonOfColumns, SCHEMA } from './folder-columns.ts'

/** How rows lie in a folder: a JSON object per line, packed, or columns. */
export type PartFormat = 'jsonl' | 'parquet'

/** What the name of a part ends with. */
export const ENDINGS: Readonly<Record<PartFormat, string>> = { jsonl: '.jsonl.gz', parquet: '.parquet' }

export function formatOf(path: string): PartFormat {
  return path.endsWith(ENDINGS.parquet) ? 'parquet' : 'jsonl'
}

const gzipped = promisify(gzip)
/** Half the work of the usual level, for a tenth more bytes: a receiver packs what all machines send. */
const LEVEL = { level: 4 }
/** How much is held of a part while it is read and written: rows, and bytes of their contents. */
const GROUP = { rows: 20_000, bytes: 16 * 1024 * 1024 }

/** Rows by the day of their time. Those without one, or with a year that no engine knows, have a partition of their own. */
export function byDay(rows: readonly TeamRow[]): ReadonlyMap<string, TeamRow[]> {
  const days = new Map<string, TeamRow[]>()
  for (const row of rows) {
    const day = row.timestamp?.slice(0, 10) ?? UNDATED
    const name = /^\d{4}-\d\d-\d\d$/.test(day) ? day : UNDATED
    const part = days.get(name) ?? []
    part.push(row)
    days.set(name, part)
  }
  return days
}

/** What Hive, Spark and DuckDB read as null. */
const UNDATED = '__HIVE_DEFAULT_PARTITION__'

/** Objects as lines, packed. The same objects give the same bytes. */
export async function packLines(objects: Iterable<JsonObject>): Promise<Uint8Array> {
  return gzipped(linesOf(objects), LEVEL)
}

function linesOf(objects: Iterable<JsonObject>): string {
  return Array.from(objects, (object) => `${jsonText(object)}\n`).join('')
}

/** The objects of packed lines. */
export function unpackLines(bytes: Uint8Array): readonly JsonObject[] {
  return gunzipSync(bytes)
    .toString('utf8')
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}

/** The bytes of a part that is held whole. */
export async function encodePart(rows: readonly TeamRow[], format: PartFormat): Promise<Uint8Array> {
  if (format === 'jsonl') return packLines(rows.map(rowToJson))
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const writer = new ByteWriter()
  const parquet = new ParquetWriter({ writer, schema: [...SCHEMA] })
  parquet.write({ columnData: columnsOf(rows), rowGroupSize: GROUP.rows })
  parquet.finish()
  return new Uint8Array(writer.getBuffer())
}

/** The rows of a part that is held whole. */
export async function decodePart(bytes: Uint8Array, format: PartFormat): Promise<readonly TeamRow[]> {
  const objects = format === 'jsonl' ? unpackLines(bytes) : await columnsIn(bytes)
  return objects.map(rowFromJson).filter((row) => row !== undefined)
}

async function columnsIn(bytes: Uint8Array): Promise<readonly JsonObject[]> {
  const { parquetReadObjects } = await import('hyparquet')
  return (await parquetReadObjects({ file: new Uint8Array(bytes).buffer })).map(jsonOfColumns)
}

/** The rows of a part, whatever its format and size, some at a time. */
export async function* readPart(path: string): AsyncGenerator<readonly TeamRow[]> {
  for await (const objects of formatOf(path) === 'parquet' ? readColumns(path) : readLines(path)) {
    yield objects.map(rowFromJson).filter((row) => row !== undefined)
  }
}

async function* readLines(path: string): AsyncGenerator<readonly JsonObject[]> {
  let objects: JsonObject[] = []
  let bytes = 0
  for await (const line of linesIn(createReadStream(path).pipe(createGunzip()))) {
    const value = parseJson(line.toString('utf8'))
    if (isObject(value)) objects.push(value)
    bytes += line.length
    if (objects.length < GROUP.rows && bytes < GROUP.bytes) continue
    yield objects
    objects = []
    bytes = 0
  }
  if (objects.length > 0) yield objects
}

/** By 0x0A alone: `readline` also splits at signs that texts may hold. */
async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)])
      begun = []
      from = end + 1
    }
    begun.push(chunk.subarray(from))
  }
  if (begun.some(({ length }) => length > 0)) yield Buffer.concat(begun)
}

async function* readColumns(path: string): AsyncGenerator<readonly JsonObject[]> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet')
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const file = {
      byteLength: size,
      async slice(from: number, to = size) {
        const bytes = new Uint8Array(to - from)
        await handle.read(bytes, 0, bytes.length, from)
        return bytes.buffer
      },
    }
    const metadata = await parquetMetadataAsync(file)
    let rowStart = 0
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows)
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd })
      yield rows.map(jsonOfColumns)
      rowStart = rowEnd
    }
  } finally {
    await handle.close()
  }
}

/** Writes rows to a new part, some at a time, and waits for the disk. Gives how many rows there were. */
export async function writePart(path: string, rows: AsyncIterable<readonly TeamRow[]>): Promise<number> {
  let count = 0
  async function* counted() {
    for await (const some of rows) {
      count += some.length
      yield some
    }
  }
  if (formatOf(path) === 'parquet') await writeColumns(path, counted())
  else {
    const lines = async function* () {
      for await (const some of counted()) yield linesOf(some.map(rowToJson))
    }
    await pipeline(Readable.from(lines()), createGzip(LEVEL), createWriteStream(path, { mode: 0o600 }))
  }
  await flushed(path)
  return count
}

/** Parts of lines, one behind the other: packed lines follow packed lines as they are. */
export async function joinLines(path: string, parts: readonly string[]): Promise<void> {
  const bytes = async function* () {
    for (const part of parts) yield* createReadStream(part)
  }
  await pipeline(Readable.from(bytes()), createWriteStream(path, { mode: 0o600 }))
  await flushed(path)
}

async function writeColumns(path: string, rows: AsyncIterable<readonly TeamRow[]>): Promise<void> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const handle = await open(path, 'w', 0o600)
  try {
    const writer = new ByteWriter()
    const flush = async () => {
      await handle.write(new Uint8Array(writer.buffer, 0, writer.index))
      writer.index = 0
    }
    const parquet = new ParquetWriter({ writer: Object.assign(writer, { flush }), schema: [...SCHEMA] })
    let held: TeamRow[] = []
    let bytes = 0
    const put = async () => {
      if (held.length > 0) await parquet.write({ columnData: columnsOf(held), rowGroupSize: held.length })
      held = []
      bytes = 0
    }
    for await (const some of rows) {
      for (const row of some) {
        held.push(row)
        bytes += row.content.length
        if (held.length >= GROUP.rows || bytes >= GROUP.bytes) await put()
      }
    }
    await put()
    parquet.finish()
    await flush()
  } finally {
    await handle.close()
  }
}

async function flushed(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
