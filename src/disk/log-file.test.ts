import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import type { Diagnostic } from '../core/log/diagnostic.ts'
import type { LogRecord } from '../core/log/record.ts'
import { diskSource } from './disk-source.ts'
import { readBytesAt, readLogFile, readRecordAt } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

const FIRST = '{"first":1}'
const LAST = '{"last":1}'

/** Uses a file that is really on the disk. */
function withFile<T>(content: string | Uint8Array, use: (source: Source, entry: SourceEntry) => T): T {
  return withFolder({ 'projects/-p/s.jsonl': content }, (folder) => {
    const source = diskSource([folder])
    const [entry] = source.list()
    try {
      return use(source, entry as SourceEntry)
    } finally {
      source.close()
    }
  })
}

function readAll(source: Source, entry: SourceEntry, from?: { offset: number; line: number }) {
  const records: LogRecord[] = []
  const totals = readLogFile(source, entry, { record: (r) => records.push(r) }, from)
  return { records, totals }
}

test('reads a file with the places of its records', () => {
  withFile(`${FIRST}\n\n${LAST}\n{"half`, (source, entry) => {
    const { records, totals } = readAll(source, entry)
    expect(records.map((r) => r.place)).toEqual([
      { file: entry.path, line: 1, offset: 0, length: 11 },
      { file: entry.path, line: 3, offset: 13, length: 10 },
    ])
    expect(totals).toMatchObject({ bytes: 30, endOffset: 24, endLine: 3, pendingBytes: 6, lines: 2, blankLines: 1 })
  })
})

test('reads on from a place', () => {
  withFile(`${FIRST}\n${LAST}\n`, (source, entry) => {
    expect(readAll(source, entry, { offset: 12, line: 1 }).records).toMatchObject([
      { raw: { last: 1 }, place: { line: 2, offset: 12 } },
    ])
    expect(readAll(source, entry, { offset: 23, line: 2 })).toMatchObject({
      records: [],
      totals: { endOffset: 23, endLine: 2 },
    })
  })
})

test('reads lines that lie across chunks', () => {
  const long = JSON.stringify({ text: 'é'.repeat(800_000) })
  withFile(`${FIRST}\n${long}\n${long}\n${LAST}\n`, (source, entry) => {
    const { records } = readAll(source, entry)
    expect(records.map((r) => r.place.length)).toEqual([11, Buffer.byteLength(long), Buffer.byteLength(long), 10])
    expect(records[2]?.raw.text).toBe('é'.repeat(800_000))
  })
})

test('a sink may read another log meanwhile', () => {
  const row = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`
  withFile(row.repeat(2000), (source, entry) => {
    const inner: number[] = []
    const totals = readLogFile(source, entry, {
      record: (r) => {
        if (r.place.line % 500 === 0) inner.push(readAll(source, entry).records.length)
        expect(r.raw.text).toHaveLength(1000)
      },
    })
    expect(inner).toEqual([2000, 2000, 2000, 2000])
    expect(totals?.records).toBe(2000)
  })
})

test('a file that is gone is undefined', () => {
  withFile(FIRST, (source, entry) => {
    rmSync(entry.path)
    expect(readLogFile(source, entry, { record: () => {} })).toBeUndefined()
    expect(readRecordAt(source, entry, { file: entry.path, line: 1, offset: 0, length: 11 })).toBeUndefined()
  })
})

test('reads every record again by its place', () => {
  const text = `\ufeff${FIRST}\r\n{"a":"é"}{"b":2}\n{"torn":{"x${LAST}\n\0\0${FIRST}\n`
  withFile(text, (source, entry) => {
    const { records } = readAll(source, entry)
    expect(records).toHaveLength(5)
    for (const record of records) {
      expect(readRecordAt(source, entry, record.place)?.raw).toEqual(record.raw)
      const bytes = Buffer.from(readBytesAt(source, entry, record.place) ?? '')
      expect(JSON.parse(bytes.toString())).toEqual(record.raw)
    }
  })
})

test('a place beyond the end has no bytes', () => {
  withFile(FIRST, (source, entry) => {
    expect(readBytesAt(source, entry, { file: entry.path, line: 1, offset: 5, length: 7 })).toBeUndefined()
    expect(readBytesAt(source, entry, { file: entry.path, line: 1, offset: 5, length: 6 })).toHaveLength(6)
  })
})

test('a place that holds something else now has no record', () => {
  withFile(`${FIRST}\n${LAST}\n`, (source, entry) => {
    writeFileSync(entry.path, `${'x'.repeat(11)}\n${LAST}\n`)
    expect(readRecordAt(source, entry, { file: entry.path, line: 1, offset: 0, length: 11 })).toBeUndefined()
  })
})

test('a place across two records of a rewritten file has no record', () => {
  withFile(`{"text":"a long one"}\n`, (source, entry) => {
    writeFileSync(entry.path, `{"a":1}\n{"b":"2"}\n\n\n\n\n\n`)
    expect(readRecordAt(source, entry, { file: entry.path, line: 1, offset: 0, length: 21 })).toBeUndefined()
  })
})

test('P16: a line of 65 MiB is known by its place and hash, and the next line is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-'))
  try {
    const path = join(folder, 'projects')
    const file = await open(path, 'w')
    const hash = createHash('sha256')
    const mebibyte = Buffer.alloc(1024 * 1024, 'x')
    await file.write(`${FIRST}\n{"a":"`)
    hash.update('{"a":"')
    for (let i = 0; i < 65; i++) {
      await file.write(mebibyte)
      hash.update(mebibyte)
    }
    await file.write(`"}\n${LAST}\n`)
    hash.update('"}')
    await file.close()
    const source = diskSource([folder], { include: () => true })
    const [entry] = source.list()
    const records: LogRecord[] = []
    const diagnostics: Diagnostic[] = []
    const totals = readLogFile(source, entry as NonNullable<typeof entry>, {
      record: (r) => records.push(r),
      diagnostic: (d) => diagnostics.push(d),
    })
    source.close()
    const length = 65 * 1024 * 1024 + 8
    expect(records).toMatchObject([
      { raw: { first: 1 } },
      { kind: 'oversize', hash: hash.digest('hex'), place: { file: path, line: 2, offset: 12, length } },
      { raw: { last: 1 }, place: { line: 3, offset: 12 + length + 1 } },
    ])
    expect(diagnostics).toMatchObject([{ code: 'OVERSIZE', salvaged: true, place: { line: 2, offset: 12, length } }])
    expect(totals).toMatchObject({ bytes: length + 24, recordBytes: length + 21, separatorBytes: 3, pendingBytes: 0 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
