import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Skimmer } from '../src/core/skim/skimmer.ts'
import { writeDemoRoot } from '../src/testing/demo-root.ts'
import { generateRoot } from '../src/testing/generate-root.ts'
import { corpus } from './corpus.ts'
import { compareBytes, nothingCompared } from './skim-agreement.ts'
import { FULL_ROWS } from './skim-rows.ts'

/** How many damaged lines are compared; a long run asks for a million. */
const LINES = process.env.ANNALS_FUZZ ? 1_000_000 : 100_000
const LONGEST = 4_000

const folder = mkdtempSync(join(tmpdir(), 'annals-skim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lines to be damaged: of roots that are made, of rows with everything in them, and of real logs where there are some. */
function wholeLines(): readonly Buffer[] {
  writeDemoRoot(join(folder, 'demo'), new Date('2026-11-15T12:00:00.000Z'))
  generateRoot(join(folder, 'generated'), { bytes: 2 << 20 })
  const real = corpus('2.1.325')
  const roots = [folder, ...(real ? [join(real, '2.1.325'), join(real, '2.1.4'), join(real, '1.0.128')] : [])]
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path)),
  )
  const texts = files.filter((path) => path.endsWith('.jsonl')).map((path) => readFileSync(path, 'latin1'))
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.length > 20 && line.length < LONGEST))
  const rows = FULL_ROWS.flatMap((row) => Array.from({ length: Math.ceil(lines.length / 40) }, () => Buffer.from(row)))
  return [...lines.map((line) => Buffer.from(line, 'latin1')), ...rows]
}

/** Bytes that mean something to JSON, to strings, to numbers and to UTF-8. */
const ODD = Buffer.from('"\\{}[],:0e-.+ntu/\x00\x1f\t\x7f\xc3\xe2\xf0\x80\xff 19ZTEx', 'latin1')

function damaged(line: Buffer, lines: readonly Buffer[], below: (limit: number) => number): Buffer {
  const at = below(line.length)
  const odd = ODD.subarray(below(ODD.length)).subarray(0, 1)
  const put = (from: number, to: number, ...pieces: readonly Buffer[]) =>
    Buffer.concat([line.subarray(0, from), ...pieces, line.subarray(to)])
  switch (below(10)) {
    case 0:
      return put(at, at + 1, odd)
    case 1:
      return line.subarray(0, at)
    case 2:
      return Buffer.concat([Buffer.alloc(1 + below(40)), line])
    case 3:
      return put(at, line.length, lines[below(lines.length)] as Buffer)
    case 4:
      return put(at, at, odd)
    case 5:
      return put(at, at + 1)
    case 6: {
      const slash = line.indexOf(0x5c, at)
      return slash === -1 ? put(at, at, odd) : put(slash + 1, slash + 2, odd)
    }
    case 7:
      return put(at + below(60), at)
    case 8: {
      // A member twice, with another value.
      const member = /"[^"\\]{1,30}":(?:"[^"\\]{0,60}"|\d+|true|false|null)/.exec(line.subarray(at).toString('latin1'))
      return member ? put(at + member.index, at + member.index, Buffer.from(`${member[0]},`, 'latin1')) : line
    }
    default: {
      const value = line.indexOf(':', at) + 1
      return value === 0 ? line : put(value, value + below(12), Buffer.from(VALUES[below(VALUES.length)] as string))
    }
  }
}

const VALUES = [
  'null',
  'true',
  '1',
  '1.5',
  '-1',
  '1e3',
  '01',
  '""',
  '"\\u0041"',
  '[]',
  '{}',
  '"\\ud800"',
  '1e400',
  ' 1',
]

test(`skim accepts none of ${LINES} damaged lines that the parser refuses, and says nothing else than it`, {
  timeout: 0,
}, () => {
  const lines = wholeLines()
  const below = randomBelow(20_261_116)
  const skimmer = new Skimmer()
  const counts = nothingCompared()
  for (let made = 0; made < LINES; ) {
    const batch: Buffer[] = []
    for (let i = 0; i < 1_000; i++, made++) {
      let line = lines[below(lines.length)] as Buffer
      for (let times = 1 + below(2); times > 0; times--) line = damaged(line, lines, below)
      batch.push(line, NEWLINE)
    }
    compareBytes(skimmer, Buffer.concat(batch), counts)
  }
  console.log(`${counts.lines} lines compared, ${counts.left} of them left to the parser`)
  expect(counts.lines).toBeGreaterThan(LINES * 0.9)
  // Damage inside a text leaves a line plain: without such lines nothing would have been compared.
  expect(counts.left).toBeLessThan(counts.lines * 0.9)
})

const NEWLINE = Buffer.from('\n')

/** The same numbers each time: whether a change may land must not depend on chance. */
function randomBelow(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % Math.max(limit, 1)
  }
}
