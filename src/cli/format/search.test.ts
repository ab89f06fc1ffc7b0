import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatSearch } from './search.ts'

const [hit] = samples.search.hits as [(typeof samples.search.hits)[number]]
const near = (role: string, text: string) => ({ role, kind: 'text', timestamp: null, text })

test('what stands around a hit stands around its words, a line each', () => {
  const around = { before: [near('user', 'Why?\nSay it.')], after: [near('assistant', 'x'.repeat(300))] }
  const plain = formatSearch({ ...samples.search, hits: [hit], total: 1 }, viewOf({ width: 60 }))
  const lines = formatSearch({ ...samples.search, hits: [{ ...hit, ...around }], total: 1 }, viewOf({ width: 60 }))
  const [head, label, ...rest] = plain
  const end = rest.indexOf('')
  expect(lines).toEqual([
    head,
    label,
    '    user: Why? Say it.',
    ...rest.slice(0, end),
    `    Claude: ${'x'.repeat(47)}…`,
    ...rest.slice(end),
  ])
})
