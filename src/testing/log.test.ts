import fc from 'fast-check'
import { expect, test } from 'vitest'
import { results, rowsOf, textOf, typesIn } from '../../tests/support/rows-of.ts'
import { fieldAt, isObject, type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '../core/json.ts'
import { type Log, log } from './log.ts'

const VERSIONS = [
  '1.0.0',
  '1.0.65',
  '1.0.128',
  '2.0.14',
  '2.0.37',
  '2.0.77',
  '2.1.4',
  '2.1.45',
  '2.1.68',
  '2.1.98',
  '2.1.112',
  '2.1.200',
  '2.1.325',
]

test('two builds of the same log are the same bytes', () => {
  for (const version of VERSIONS) expect(everything(version).files()).toEqual(everything(version).files())
})

test('every line of every file of every version is a JSON object', () => {
  for (const version of VERSIONS) {
    for (const file of everything(version)
      .files()
      .filter(({ path }) => path.endsWith('.jsonl'))) {
      for (const line of textOf(file.content).split('\n').slice(0, -1)) expect(isObject(parseJson(line))).toBe(true)
    }
  }
})

test('parents come before their children, in the main log and in those of agents', () => {
  for (const version of VERSIONS) {
    for (const file of everything(version)
      .files()
      .filter(({ path }) => path.endsWith('.jsonl'))) {
      const seen = new Set<string>()
      for (const row of rowsOf(file.content)) {
        const parent = stringAt(row, 'parentUuid') ?? stringAt(row, 'logicalParentUuid')
        if (parent !== undefined) expect(seen.has(parent), `${version} ${file.path} ${row.type}`).toBe(true)
        seen.add(stringAt(row, 'uuid') ?? '')
      }
    }
  }
})

test('no uuid stands twice in a log', () => {
  for (const version of VERSIONS) {
    const uuids = everything(version)
      .rows()
      .flatMap((row) => stringAt(row, 'uuid') ?? [])
    expect(new Set(uuids).size).toBe(uuids.length)
  }
})

test('any order of steps gives rows whose parents came before', () => {
  const step = fc.constantFrom<(log: Log) => unknown>(
    (log) => log.user('hi'),
    (log) => log.assistant('ho'),
    (log) => log.tool('Bash', { command: 'ls' }, { output: 'a' }),
    (log) => log.parallel([{ name: 'Bash' }, { name: 'Read' }]),
    (log) => log.subagent({ description: 'd', prompt: 'p' }),
    (log) => log.interrupt(),
    (log) => log.compact(),
    (log) => log.queued('more'),
    (log) => log.command('/cost', { output: '$0' }),
    (log) => log.user('again').rewind({ to: 1 }),
  )
  fc.assert(
    fc.property(fc.constantFrom('1.0.128', '2.0.37', '2.1.45', '2.1.325'), fc.array(step), (version, steps) => {
      const made = log({ version })
      for (const take of steps) take(made)
      const seen = new Set<string>()
      for (const row of made.rows()) {
        const parent = stringAt(row, 'parentUuid')
        if (parent !== undefined) expect(seen.has(parent)).toBe(true)
        seen.add(stringAt(row, 'uuid') ?? '')
      }
    }),
  )
})

test('1.0.0 writes a response as one line with its cost, and neither request id nor branch', () => {
  const rows = log({ version: '1.0.0' }).user('hi').assistant('ho', { thinking: 'hm' }).tool('Bash').rows()
  const answer = rows[1]
  expect(rows.map(({ type }) => type)).toEqual(['user', 'assistant', 'user'])
  expect(typesIn(answer)).toEqual(['thinking', 'text', 'tool_use'])
  expect(answer).toMatchObject({ costUSD: expect.any(Number), durationMs: expect.any(Number) })
  expect(answer).not.toHaveProperty('requestId')
  expect(answer).not.toHaveProperty('gitBranch')
})

test('later versions write a line for each block, all with the same message id and usage', () => {
  const rows = log({ version: '2.0.37' }).user('hi').assistant('ho', { thinking: 'hm' }).tool('Bash').rows()
  const answers = rows.filter(({ type }) => type === 'assistant')
  expect(answers.map(typesIn)).toEqual([['thinking'], ['text'], ['tool_use']])
  expect(new Set(answers.map((row) => stringAt(row.message, 'id'))).size).toBe(1)
  expect(new Set(answers.map((row) => JSON.stringify(fieldAt(row.message, 'usage')))).size).toBe(1)
  expect(answers.map((row) => fieldAt(row.message, 'stop_reason'))).toEqual([null, null, 'tool_use'])
})

test('from 2.1.98 on every line has the stop reason', () => {
  const rows = log({ version: '2.1.98' }).user('hi').assistant('ho', { thinking: 'hm' }).rows()
  const reasons = rows.filter(({ type }) => type === 'assistant').map((row) => fieldAt(row.message, 'stop_reason'))
  expect(reasons).toEqual(['end_turn', 'end_turn'])
})

test('usage is what was asked for', () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWrite5mTokens: 4, cacheWrite1hTokens: 5 }
  const [, answer] = log({ attachments: false, entrypoint: 'sdk-cli', version: '2.1.112' })
    .user('hi')
    .assistant('ho', { usage: { ...usage, webSearches: 6 }, model: 'claude-haiku-4-5' })
    .rows()
    .filter((row) => row.type !== 'queue-operation')
  expect(answer?.message).toMatchObject({
    model: 'claude-haiku-4-5',
    usage: {
      input_tokens: 1,
      output_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      server_tool_use: { web_search_requests: 6 },
    },
  })
})

test('placeholder lines say three output tokens and no stop reason', () => {
  const answer = (placeholder: true | 'all') =>
    log({ version: '2.0.77' })
      .user('hi')
      .assistant('ho', { thinking: 'hm', placeholder, usage: { outputTokens: 90 } })
      .rows()
      .filter(({ type }) => type === 'assistant')
      .map((row) => fieldAt(objectAt(row.message, 'usage'), 'output_tokens'))
  expect(answer(true)).toEqual([3, 90])
  expect(answer('all')).toEqual([3, 3])
})

test('parallel results are chained up to 2.0.37', () => {
  const rows = parallel('2.0.37').rows()
  const [last] = rows.filter(({ type }) => type === 'assistant').slice(-1)
  const [first, second] = results(rows)
  expect(first?.parentUuid).toBe(last?.uuid)
  expect(second?.parentUuid).toBe(first?.uuid)
})

test('parallel results hang under their own calls from 2.0.77 on', () => {
  for (const version of ['2.0.77', '2.1.325']) {
    const rows = parallel(version).assistant('done').rows()
    const calls = rows.filter((row) => typesIn(row).includes('tool_use'))
    expect(results(rows).map((row) => row.parentUuid)).toEqual(calls.map(({ uuid }) => uuid))
    expect(results(rows).map((row) => row.sourceToolAssistantUUID)).toEqual(calls.map(({ uuid }) => uuid))
    const next = rows.find((row) => stringAt(objectsAt(row.message, 'content')[0], 'text') === 'done')
    expect(next?.parentUuid).toBe(results(rows)[1]?.uuid)
  }
})

test('an answer hangs under the attachments of its prompt from 2.1.98 on', () => {
  const types = (version: string) => log({ version }).user('hi').assistant('ho').rows().flatMap(treeType)
  expect(types('2.1.68')).toEqual(['user', 'assistant'])
  expect(types('2.1.98')).toEqual(['user', 'attachment', 'assistant'])
  expect(types('2.1.325')).toEqual(['user', 'attachment', 'attachment', 'attachment', 'assistant', 'system'])
})

test('the fields around a row come first in old versions and last in new ones', () => {
  const keys = (version: string) =>
    Object.keys(
      log({ version })
        .user('hi')
        .rows()
        .find((row) => row.type === 'user') ?? {},
    )
  expect(keys('1.0.128')).toEqual([
    'parentUuid',
    'isSidechain',
    'userType',
    'cwd',
    'sessionId',
    'version',
    'gitBranch',
    'type',
    'message',
    'uuid',
    'timestamp',
  ])
  expect(keys('2.1.112').slice(0, 4)).toEqual(['parentUuid', 'isSidechain', 'promptId', 'type'])
  expect(keys('2.1.112').slice(-6)).toEqual(['userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch'])
})

test('2.1.325 tells where a prompt came from', () => {
  const row = log()
    .user('hi')
    .rows()
    .find(({ type }) => type === 'user')
  expect(row).toMatchObject({
    promptSource: 'typed',
    origin: { kind: 'human' },
    turnOrigin: 'human',
    turnPosition: { promptIndex: 1, turnIndex: 1 },
  })
})

test('a client called by a program writes its queue', () => {
  const types = (version: string) =>
    log({ version, entrypoint: 'sdk-cli' })
      .user('hi')
      .rows()
      .flatMap((row) => stringAt(row, 'operation') ?? [])
  expect(types('1.0.128')).toEqual([])
  expect(types('2.0.37')).toEqual(['enqueue', 'dequeue'])
  expect(types('2.0.77')).toEqual(['dequeue'])
  expect(types('2.1.68')).toEqual(['enqueue', 'dequeue'])
})

test('a rewind gives two prompts under one parent', () => {
  for (const version of ['2.0.77', '2.1.112', '2.1.325']) {
    const rows = log({ version }).user('a').assistant('b').user('c').assistant('d').rewind({ to: 2 }).user('e').rows()
    const prompt = (text: string) => rows.find((row) => stringAt(row.message, 'content') === text)
    expect(prompt('e')?.parentUuid).toBe(prompt('c')?.parentUuid)
    const withdrawn = rows.filter((row) => row.type === 'last-prompt' && row.explicit === true)
    expect(withdrawn.length).toBe(version === '2.1.325' ? 1 : 0)
  }
})

/** A log with every step that its version knows. */
function everything(version: string): Log {
  const change = { before: 'a\nb\n', after: 'a\nc\n' }
  const made = log({ version, seed: 'everything' })
    .title('Everything')
    .user('one')
    .assistant('Looking.', { thinking: 'Hm.' })
    .tool('Bash', { command: 'ls' }, { output: 'a.ts', durationMs: 50 })
    .parallel([{ name: 'Bash' }, { subagent: { description: 'p', prompt: 'P', result: 'R' } }, { name: 'Read' }])
    .readFile('a.ts', 'a\nb\n')
    .readImage('a.png')
    .edit('a.ts', change)
    .writeFile('b.ts', 'x\n')
    .todo(['First'])
    .plan('# Plan')
    .subagent({
      description: 'outer',
      prompt: 'Outer',
      steps: (b) => b.tool('Bash').subagent({ description: 'inner', prompt: 'Inner', result: 'Inner done.' }),
      result: 'Outer done.',
    })
    .subagent({ description: 'failing', prompt: 'Fail', error: 'It failed.' })
    .assistant('Done.')
    .command('/cost', { output: '$1' })
    .command('/mine', { args: 'x', expansion: 'Do x.' })
    .assistant('Did x.')
    .bash('ls', 'a.ts')
    .assistant('I see.')
    .image()
    .assistant('A pixel.')
    .rewind({ to: 2 })
    .user('other')
    .tool('Bash')
    .queued('and more')
    .assistant('More.')
    .user('stop')
    .assistant('Well')
    .interrupt()
    .user('fail')
    .apiError('rate_limit')
    .aiTitle('Everything')
    .summary('Everything')
    .costState()
  if (!version.startsWith('1.0.0') && version !== '1.0.65')
    made.compact({ preserved: 1 }).user('after').assistant('yes')
  if (version >= '2.0.37')
    made.warmup().subagent({ description: 'bg', prompt: 'B', result: 'R', background: true }).notification()
  if (version === '2.1.325') made.workflow({ name: 'flow', agents: [{ label: 'a', prompt: 'A', result: 'B' }] })
  return made
}

function parallel(version: string): Log {
  return log({ version, attachments: false })
    .user('hi')
    .parallel([
      { name: 'Bash', input: { command: 'one' }, output: '1' },
      { name: 'Bash', input: { command: 'two' }, output: '2' },
    ])
}

function treeType(row: JsonObject): readonly string[] {
  return row.uuid === undefined ? [] : [`${row.type}`]
}
