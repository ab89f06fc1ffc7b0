import { describe, expect, test } from 'vitest'
import { fieldAt, type JsonObject } from '../core/json.ts'
import { type Log, log } from './log.ts'

const talk = (version: string, entrypoint: 'cli' | 'sdk-cli') =>
  log({ version, entrypoint, requests: true, attachments: false }).user('hello').assistant('hi')

/** A row as one sees it: what it is, and whose. */
function seen(made: Log, first: Log): readonly string[] {
  return made.rows().map((row) => {
    const what = row.type === 'queue-operation' ? row.operation : row.type
    return row.sessionId === first.sessionId ? `${what} of the first` : String(what)
  })
}

const PROMPT_AND_ANSWER = ['user', 'assistant']
const MORE = ['user', 'assistant']

describe('--fork-session, header first, then the copies, then its own', () => {
  test.each([
    ['1.0.128', ['summary', ...PROMPT_AND_ANSWER, ...MORE]],
    ['2.0.37', ['enqueue', 'dequeue', 'user of the first', 'assistant', ...MORE]],
    ['2.0.77', ['dequeue', 'user of the first', 'assistant', ...MORE]],
    ['2.1.4', ['dequeue', 'user of the first', 'assistant', ...MORE]],
    ['2.1.45', ['dequeue', 'user of the first', 'assistant of the first', ...MORE]],
    ['2.1.68', ['enqueue', 'dequeue', 'user of the first', 'assistant of the first', ...MORE]],
    ['2.1.112', ['enqueue', 'dequeue', ...PROMPT_AND_ANSWER, ...MORE]],
    ['2.1.200', ['mode', 'enqueue', 'dequeue', ...PROMPT_AND_ANSWER, ...MORE]],
    [
      '2.1.325',
      [
        'mode',
        'atis-latch',
        'tools-used',
        'enqueue',
        'dequeue',
        ...PROMPT_AND_ANSWER,
        'user',
        'api-request',
        'assistant',
      ],
    ],
  ])('%s', (version, expected) => {
    const first = talk(version, 'sdk-cli')
    const fork = first.forked().user('more').assistant('yes')
    expect(seen(fork, first).filter((row) => row !== 'last-prompt')).toEqual(expected)
  })
})

test('a fork at a terminal has the checkpoint of its prompt before the copies', () => {
  const fork = talk('2.1.112', 'cli').forked().user('more')
  const types = fork.rows().map(({ type }) => type)
  expect(types.slice(0, 3)).toEqual(['permission-mode', 'file-history-snapshot', 'user'])
  const [, snapshot, copy] = fork.rows()
  expect(snapshot?.messageId).toBe(fork.rows().findLast(({ type }) => type === 'user')?.uuid)
  const forkedAt = String(fieldAt(snapshot?.snapshot, 'timestamp'))
  expect(forkedAt > String(copy?.timestamp)).toBe(true)
})

test('an answer names its request; copies name one that the log does not have', () => {
  const first = talk('2.1.325', 'sdk-cli')
  const requests = (made: Log) => made.rows().flatMap((row) => (row.type === 'api-request' ? [row.id] : []))
  const refs = (made: Log) => made.rows().flatMap((row) => (row.type === 'assistant' ? [row.requestRef] : []))
  expect(refs(first)).toEqual(requests(first))
  const fork = first.forked().user('more').assistant('yes')
  expect(refs(fork)).toEqual([...requests(first), ...requests(fork)])
  expect(requests(fork)).toHaveLength(1)
})

test('a fork of the SDK has new uuids, says where each row came from, and ends now', () => {
  const first = talk('2.1.325', 'sdk-cli')
  const fork = first.sdkForked()
  const tree = (made: Log) => made.rows().filter((row: JsonObject) => row.type === 'user' || row.type === 'assistant')
  expect(tree(fork).map(({ forkedFrom }) => forkedFrom)).toEqual(
    tree(first).map(({ uuid }) => ({ sessionId: first.sessionId, messageUuid: uuid })),
  )
  const known = new Set(first.rows().map(({ uuid }) => uuid))
  expect(tree(fork).some(({ uuid }) => known.has(uuid))).toBe(false)
  const [asked, told] = tree(fork)
  expect(told?.parentUuid).toBe(asked?.uuid)
  expect(asked?.timestamp).toBe(tree(first)[0]?.timestamp)
  expect(String(told?.timestamp) > String(tree(first)[1]?.timestamp)).toBe(true)
  expect(fork.rows().at(-1)).toMatchObject({
    type: 'custom-title',
    customTitle: 'hello (fork)',
    timestamp: told?.timestamp,
  })
})
