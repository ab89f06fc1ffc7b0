import { expect, test } from 'vitest'
import { results, textOf, typesIn } from '../../tests/support/rows-of.ts'
import { fieldAt, objectAt, objectsAt, parseJson, stringAt } from '../core/json.ts'
import { log } from './log.ts'
import { root } from './root.ts'

test('a compaction begins anew and names the row before it', () => {
  for (const version of ['1.0.128', '2.0.37', '2.1.112', '2.1.325']) {
    const rows = log({ version }).user('a').assistant('b').compact({ preTokens: 500, postTokens: 60 }).user('c').rows()
    const at = rows.findIndex(({ subtype }) => subtype === 'compact_boundary')
    const before = rows.slice(0, at).findLast((row) => row.uuid !== undefined)
    expect(rows[at]).toMatchObject({ parentUuid: null, logicalParentUuid: before?.uuid, type: 'system' })
    expect(rows[at]?.compactMetadata).toMatchObject({ trigger: 'manual', preTokens: 500 })
    expect(rows[at + 1]).toMatchObject({ isCompactSummary: true, parentUuid: rows[at]?.uuid })
    expect(rows[at + 2]).toMatchObject({ isMeta: true })
    expect(stringAt(rows[at + 3]?.message, 'content')).toContain('<command-name>/compact</command-name>')
    expect(stringAt(rows[at + 4]?.message, 'content')).toContain('<local-command-stdout>Compacted')
  }
})

test('a compaction of 2.1.325 can keep rows, which hang under the summary', () => {
  const rows = log().user('a').assistant('b').compact({ trigger: 'auto', preserved: 2 }).rows()
  const at = rows.findIndex(({ subtype }) => subtype === 'compact_boundary')
  const tree = rows.slice(0, at).flatMap((row) => stringAt(row, 'uuid') ?? [])
  const [head, tail] = tree.slice(-2)
  expect(rows[at]?.compactMetadata).toMatchObject({
    preservedSegment: { headUuid: head, tailUuid: tail, anchorUuid: rows[at + 1]?.uuid },
    preservedMessages: { uuids: [head, tail] },
  })
  expect(rows[at + 2]).toBeUndefined()
})

test('commands are written as each version does', () => {
  const kinds = (version: string) =>
    log({ version })
      .command('/cost', { output: '$1' })
      .rows()
      .map((row) => (row.isMeta === true ? 'caveat' : `${row.type}`))
  expect(kinds('2.0.37')).toEqual(['caveat', 'user', 'user'])
  expect(kinds('2.1.45')).toEqual(['caveat', 'user', 'user'])
  expect(kinds('2.1.68')).toEqual(['system', 'system'])
  const clear = log({ version: '2.1.325' }).command('/clear', { output: '' }).rows()
  expect(clear.map((row) => row.subtype ?? row.type)).toEqual(['user', 'user', 'local_command'])
})

test('a custom command has its message first, and what it expands to behind it', () => {
  const texts = (version: string) =>
    log({ version, attachments: false })
      .command('/mine', { args: 'one two', expansion: 'Do it.' })
      .rows()
      .filter(({ type }) => type === 'user')
  const [command, expansion] = texts('2.0.37')
  expect(stringAt(command?.message, 'content')).toBe(
    '<command-message>mine is running…</command-message>\n<command-name>/mine</command-name>\n<command-args>one two</command-args>',
  )
  expect(expansion).toMatchObject({ isMeta: true, message: { content: [{ type: 'text', text: 'Do it.' }] } })
  expect(stringAt(texts('2.1.325')[0]?.message, 'content')).toMatch(/^<command-message>mine<\/command-message>\n/)
})

test('a prompt typed while the model works is an attachment from 2.1.98 on', () => {
  const rows = (version: string) => log({ version }).user('a').tool('Bash').queued('b').assistant('c').rows()
  expect(rows('2.1.325').find((row) => objectAt(row, 'attachment')?.type === 'queued_command')).toMatchObject({
    attachment: { prompt: 'b', commandMode: 'prompt', humanTurn: true },
  })
  expect(rows('2.1.45').some((row) => stringAt(row.message, 'content') === 'b')).toBe(true)
})

test('a stopped tool has an error and a marker', () => {
  const rows = log({ version: '2.1.112' }).user('a').interrupt({ forTool: true }).rows()
  const [error, marker] = rows.slice(-2)
  expect(objectsAt(error?.message, 'content')[0]).toMatchObject({ type: 'tool_result', is_error: true })
  expect(objectsAt(marker?.message, 'content')).toEqual([
    { type: 'text', text: '[Request interrupted by user for tool use]' },
  ])
})

test('a stopped answer keeps its lines, without a stop reason', () => {
  const rows = log().user('a').assistant('b').interrupt().rows()
  const answer = rows.find(({ type }) => type === 'assistant')
  expect(fieldAt(answer?.message, 'stop_reason')).toBeNull()
  expect(rows.at(-1)).toMatchObject({ interruptedMessageId: stringAt(answer?.message, 'id') })
})

test('an API error is told by a made-up message', () => {
  const rows = log({ version: '2.1.325' }).user('a').apiError('overloaded').rows()
  expect(rows.find(({ subtype }) => subtype === 'api_error')).toMatchObject({ retryAttempt: 1, error: { status: 529 } })
  const row = rows.find(({ isApiErrorMessage }) => isApiErrorMessage === true)
  expect(row).toMatchObject({ apiErrorStatus: 529, message: { model: '<synthetic>', usage: { output_tokens: 0 } } })
})

test('an edit has its patch, its checkpoint row and a copy of the file', () => {
  const change = { before: 'one\ntwo\nthree\n', after: 'one\n2\nthree\n' }
  const made = log({ cwd: '/home/ana/api', sessionId: 'b2f7c0de-0000-4000-8000-000000000001' })
    .user('x')
    .edit('a.ts', change)
  const rows = made.rows()
  const prompt = rows.find(({ type }) => type === 'user')
  const call = rows.find((row) => typesIn(row).includes('tool_use'))
  const delta = rows.find(({ type }) => type === 'file-history-delta')
  expect(delta).toMatchObject({ messageId: call?.uuid, snapshotMessageId: prompt?.uuid, trackingPath: 'a.ts' })
  const name = stringAt(objectAt(delta, 'backup'), 'backupFileName')
  expect(name).toMatch(/^[0-9a-f]{16}@v1$/)
  const copy = made.files().find(({ path }) => path === `file-history/b2f7c0de-0000-4000-8000-000000000001/${name}`)
  expect(copy?.content).toBe(change.before)
  expect(results(rows)[0]?.toolUseResult).toMatchObject({
    filePath: '/home/ana/api/a.ts',
    oldString: 'two',
    newString: '2',
    originalFile: change.before,
    structuredPatch: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' one', '-two', '+2', ' three'] }],
  })
})

test('older versions update the snapshot instead, and the next prompt saves what the file became', () => {
  const made = log({ version: '2.1.45' }).user('x').edit('a.ts', { before: 'a\n', after: 'b\n' }).user('y')
  const snapshots = made.rows().filter(({ type }) => type === 'file-history-snapshot')
  expect(snapshots.map(({ isSnapshotUpdate }) => isSnapshotUpdate)).toEqual([false, true, false])
  const copies = made.files().filter(({ path }) => path.startsWith('file-history/'))
  expect(copies.map(({ content }) => content)).toEqual(['a\n', 'b\n'])
})

test('a new file has a checkpoint without a copy', () => {
  const made = log().user('x').writeFile('new.ts', 'a\n')
  const delta = made.rows().find(({ type }) => type === 'file-history-delta')
  expect(objectAt(delta, 'backup')).toMatchObject({ backupFileName: null, version: 1 })
})

test('a plan is a call and, where the version has them, a file', () => {
  const plan = (version: string) => log({ version, cwd: '/home/ana/api' }).user('x').plan('# Plan', { slug: 'my-plan' })
  expect(
    plan('2.1.325')
      .files()
      .find(({ path }) => path === 'plans/my-plan.md')?.content,
  ).toBe('# Plan')
  expect(results(plan('2.1.325').rows())[0]?.toolUseResult).toMatchObject({
    filePath: '/home/ana/.claude/plans/my-plan.md',
  })
  expect(plan('2.1.325').rows().at(-1)).toMatchObject({ slug: 'my-plan' })
  expect(
    plan('1.0.128')
      .files()
      .some(({ path }) => path.startsWith('plans/')),
  ).toBe(false)
})

test('a to-do list is a call and a file', () => {
  const made = log({ version: '2.0.77' }).user('x').todo(['First'])
  const { sessionId } = made
  const items = [{ content: 'First', status: 'pending', activeForm: 'First' }]
  const file = made.files().find(({ path }) => path === `todos/${sessionId}-agent-${sessionId}.json`)
  expect(parseJson(textOf(file?.content ?? ''))).toEqual(items)
  expect(results(made.rows())[0]?.toolUseResult).toEqual({ oldTodos: [], newTodos: items })
})

test('a long output of Bash is kept in a file', () => {
  const output = 'x'.repeat(40_000)
  const made = log().user('x').tool('Bash', {}, { output })
  const kept = made.files().find(({ path }) => path.includes('/tool-results/'))
  expect(kept?.path).toMatch(/\/tool-results\/b[0-9a-z]{8}\.txt$/)
  expect(kept?.content).toBe(output)
  expect(stringAt(objectsAt(results(made.rows())[0]?.message, 'content')[0], 'content')).toMatch(/^<persisted-output>/)
})

test('raw rows and bytes are written just as given', () => {
  const made = log({ version: '1.0.128' }).raw({ type: 'novel', x: 1 }).bytes('{"torn')
  expect(textOf(made.content())).toBe('{"type":"novel","x":1}\n{"torn')
})

test('a raw row knows where it stands, and what follows hangs under it', () => {
  const rows = log({ version: '1.0.128' })
    .user('a')
    .raw((at) => at.row({ type: 'system', subtype: 'informational', content: 'x' }))
    .assistant('b')
    .rows()
  expect(rows[1]?.parentUuid).toBe(rows[0]?.uuid)
  expect(rows[2]?.parentUuid).toBe(rows[1]?.uuid)
})

test('the ledger counts the tokens of all responses', () => {
  const rows = log()
    .user('a')
    .assistant('b', { usage: { inputTokens: 5, outputTokens: 7 } })
    .costState({ totalCostUSD: 1 })
    .rows()
  expect(rows.at(-1)).toMatchObject({
    type: 'cost-state',
    totalCostUSD: 1,
    modelUsage: { 'claude-opus-5-5': { inputTokens: 5, outputTokens: 7 } },
  })
})

test('two logs that would write the same file are refused', () => {
  const both = root().add(log().user('a'), log().user('b'))
  expect(() => both.files()).toThrow('seed')
})

test('a log with more turns begins with the bytes of the shorter one', () => {
  for (const version of ['1.0.0', '2.0.77', '2.1.325']) {
    const made = log({ version }).user('a').tool('Bash').assistant('b')
    const short = textOf(made.content())
    expect(textOf(made.user('c').assistant('d').content()).startsWith(short)).toBe(true)
  }
})
