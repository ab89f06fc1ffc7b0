import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Line, LineSplitter } from '../log/lines.ts'
import { compileSkim } from './engine.ts'
import { SESSION } from './layout.ts'
import { type SkimLogOptions, skimLog } from './skim-log.ts'
import { Skimmer } from './skimmer.ts'

interface Found {
  readonly offset: number
  readonly length: number
  readonly line: number
  readonly complete: boolean
  readonly text: string
}

function reader(bytes: Uint8Array) {
  return (into: Uint8Array, position: number) => {
    const part = bytes.subarray(position, position + into.length)
    into.set(part)
    return part.length
  }
}

function skimmed(skimmer: Skimmer, bytes: Uint8Array, options?: SkimLogOptions) {
  const found: Found[] = []
  const end = skimLog(
    skimmer,
    reader(bytes),
    {
      rows({ rows, offset, line, complete }) {
        for (let row = 0; row < rows; row++) {
          const own = skimmer.line(row)
          const place = { offset: offset + skimmer.offset(row), length: own.length }
          const text = Buffer.from(own).toString('latin1')
          found.push({ ...place, line: line + skimmer.lineNumber(row) + 1, complete, text })
        }
      },
      oversize: ({ offset, length, line, complete }) => found.push({ offset, length, line, complete, text: '' }),
    },
    options,
  )
  return { found, end }
}

/** The lines of the definition; empty ones have no row. */
function split(bytes: Uint8Array, maxLineBytes: number): readonly Found[] {
  const found: Found[] = []
  const splitter = new LineSplitter({ maxLineBytes })
  const add = ({ offset, length, line, complete, bytes }: Line) => {
    if (length > 0) found.push({ offset, length, line, complete, text: Buffer.from(bytes).toString('latin1') })
  }
  splitter.push(bytes, add)
  splitter.finish(add)
  return found
}

const line = fc.oneof(
  fc.constantFrom('', '{"type":"mode"}', '{"type":"mode","sessionId":"a"}', '{', 'x', '\0\0'),
  fc.integer({ min: 1, max: 700 }).map((length) => `{"type":"mode","x":"${'y'.repeat(length)}"}`),
)

for (const [name, module] of [
  ['with SIMD', compileSkim()],
  ['without', null],
] as const) {
  test(`lines have the places that the splitter gives them, whatever the buffer, ${name}`, () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 600 }),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(100, 1 << 20),
        (lines, capacity, maxLineBytes) => {
          const bytes = Buffer.from(lines.join('\n'))
          const skimmer = new Skimmer(capacity, module)
          const { found, end } = skimmed(skimmer, bytes, { maxLineBytes })
          expect(found).toEqual(split(bytes, maxLineBytes))
          const whole = bytes.lastIndexOf('\n') + 1
          expect(end).toEqual({ offset: whole, line: lines.length === 0 ? 0 : lines.length - 1 })
        },
      ),
      { numRuns: 150 },
    )
  })
}

test('a skim that goes on where another ended gives the rest', () => {
  const first = '{"type":"mode","x":1}\n\n{"type":"mode","x":2}\n'
  const half = Buffer.from(`${first}{"type":"mo`)
  const whole = Buffer.from(`${first}{"type":"mode","x":3}\n`)
  const { found, end } = skimmed(new Skimmer(), half)
  expect(found.map(({ complete }) => complete)).toEqual([true, true, false])
  const rest = skimmed(new Skimmer(), whole, { from: end })
  expect(rest.found).toEqual(split(whole, 1_000).slice(2))
})

test('where there is no WebAssembly with SIMD, every line is left to the parser', () => {
  const wasm = { validate: () => false, Module: Object, Instance: Object } as never
  expect(compileSkim(wasm)).toBeNull()
  const bytes = Buffer.from('{"type":"mode"}\n')
  const plain = new Skimmer()
  const left = new Skimmer(1_000, null)
  for (const skimmer of [plain, left]) {
    skimmer.bytes.set(bytes)
    expect(skimmer.skim(0, bytes.length)).toBe(1)
  }
  expect([plain.isPlain(0), left.isPlain(0)]).toEqual([true, false])
})

test('a line with more blocks than the table holds is left to the parser, and its neighbours are not', () => {
  const answer = (blocks: number) =>
    `{"type":"assistant","message":{"content":[${Array(blocks).fill('{"type":"text","text":"a"}').join(',')}]}}\n`
  const bytes = Buffer.from([3, 800, 300, 1025, 1024, 1].map(answer).join(''))
  const skimmer = new Skimmer()
  const seen: (number | undefined)[] = []
  skimLog(skimmer, reader(bytes), {
    rows: ({ rows }) => {
      for (let row = 0; row < rows; row++) seen.push(skimmer.isPlain(row) ? skimmer.blockCount(row) : undefined)
    },
    oversize: () => {},
  })
  expect(seen).toEqual([3, 800, 300, undefined, 1024, 1])
})

test('names stay right when there are more of them than the table holds', () => {
  const count = 20_000
  const bytes = Buffer.from(Array.from({ length: count }, (_, i) => `{"type":"mode","sessionId":"s${i}"}\n`).join(''))
  const skimmer = new Skimmer()
  let next = 0
  skimLog(skimmer, reader(bytes), {
    rows: ({ rows }) => {
      for (let row = 0; row < rows; row++) {
        expect(skimmer.isPlain(row)).toBe(true)
        expect(skimmer.name(row, SESSION)).toBe(`s${next++}`)
      }
    },
    oversize: () => {},
  })
  expect(next).toBe(count)
})
