import { expect, test } from 'vitest'
import { readLog } from '../log/log.ts'
import type { LogRecord } from '../log/record.ts'
import { nodeOf } from './node.ts'
import { turnLabel } from './turn-names.ts'

const labelOf = (content: string) => {
  const row = { type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content } }
  const [record] = readLog(new TextEncoder().encode(JSON.stringify(row))).records
  const node = nodeOf(record as LogRecord)
  return node ? turnLabel(node) : undefined
}

test.each([
  ['why <b> and not <i>?', 'why <b> and not <i>?'],
  ['<bash-input>ls -la</bash-input>', 'ls -la'],
  ['<command-name>/model</command-name>\n<command-args>opus</command-args>', '/model opus'],
])('%s is called %s', (content, label) => {
  expect(labelOf(content)).toBe(label)
})

test('what is cut off in the middle of a tag has no part of it', () => {
  for (let length = 150; length < 300; length++) {
    expect(labelOf(`<bash-input>${'x'.repeat(length)}</bash-input>`)).toMatch(/^x+…?$/)
  }
})
