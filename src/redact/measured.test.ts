import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodings } from './made-encodings.ts'
import { meanOf, measureFalsePositives, measureRecall, type Recall } from './measured.ts'

const SAMPLES = 20
const MESSAGES = 5000
const PAGE = 'docs/redaction.md'

let rows: readonly Recall[]
let wrong: ReadonlyMap<string, number>
beforeAll(() => {
  rows = measureRecall(SAMPLES)
  wrong = measureFalsePositives(MESSAGES)
}, 300_000)

describe('made-up secrets', () => {
  test('are of sixty kinds and more that are known by their shape', () => {
    expect(rows.filter(({ isCertain }) => isCertain).length).toBeGreaterThanOrEqual(60)
  })

  test('are found as they stand: 98 of 100 of every certain family', () => {
    for (const { kind, found } of rows.filter(({ isCertain }) => isCertain)) {
      expect(found[0], kind).toBeGreaterThanOrEqual(0.98)
    }
  })

  test.each(encodings.map(({ name }, at) => [name, at] as const))('are found, %s: 98 of 100 on the whole', (_, at) => {
    expect(meanOf(rows, at)).toBeGreaterThanOrEqual(0.98)
  })

  test('are found in every encoding: 90 of 100 of every certain family', () => {
    for (const { kind, found, isCertain } of rows) {
      const mean = found.reduce((sum, share) => sum + share, 0) / found.length
      if (isCertain) expect(mean, kind).toBeGreaterThanOrEqual(0.9)
    }
  })
})

test('at most one of a thousand clean messages is touched', () => {
  const sum = [...wrong.values()].reduce((total, count) => total + count, 0)
  expect(Object.fromEntries(wrong), `${sum} in ${MESSAGES}`).toEqual({})
})

test('the page shows what was measured', () => {
  const page = readFileSync(PAGE, 'utf8')
  const [head, rest] = page.split('<!-- measured -->\n')
  const tail = rest?.split('<!-- end of measured -->')[1]
  const made = `${head}<!-- measured -->\n${table()}\n<!-- end of measured -->${tail}`
  if (process.env.UPDATE) writeFileSync(PAGE, made)
  expect(readFileSync(PAGE, 'utf8')).toBe(made)
})

function table(): string {
  const share = (part: number) => (part === 1 ? '100' : (100 * part).toFixed(1))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = ['kind', ...encodings.map(({ name }) => name), 'false positives']
  const sorted = rows.toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain) || (a.kind < b.kind ? -1 : 1))
  const mean = encodings.map((_, at) => `**${share(meanOf(rows, at))}**`)
  const sum = [...wrong.values()].reduce((total, count) => total + count, 0)
  return [
    line(head),
    line(head.map(() => '---')),
    line([`**all ${rows.length} kinds**`, ...mean, `**${sum}**`]),
    ...sorted.map(({ kind, isCertain, found }) =>
      line([isCertain ? kind : `${kind} (guessed)`, ...found.map(share), String(wrong.get(kind) ?? 0)]),
    ),
  ].join('\n')
}
