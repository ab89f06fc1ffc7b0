import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject, type JsonValue, parseJson } from '../json.ts'
import { documentSchemas, recordSchemas } from '../records/index.ts'
import { DriftFold } from './drift.ts'
import type { Place } from './place.ts'
import { RECORD_TYPES } from './record-types.ts'

const at = (line: number, file = '/logs/a.jsonl'): Place => ({ file, line, offset: line * 100, length: 99 })

const envelope = {
  uuid: 'u2',
  parentUuid: 'u1',
  isSidechain: false,
  timestamp: '2026-01-02T03:04:05.678Z',
  sessionId: 's1',
  cwd: '/home/ana/app',
  version: '2.1.112',
  userType: 'external',
}
const usage = { input_tokens: 3, output_tokens: 5 }
const response = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  stop_reason: null,
  stop_sequence: null,
  usage,
}
const session = { sessionId: 's1' }
const time = { timestamp: '2026-01-02T03:04:05.678Z' }

const user = (fields: JsonObject = {}): JsonObject => ({
  type: 'user',
  ...envelope,
  message: { role: 'user', content: 'hello' },
  ...fields,
})
const assistant = (...content: JsonObject[]): JsonObject => ({
  type: 'assistant',
  ...envelope,
  message: { ...response, content },
})
const call = (name: string, input: JsonValue): JsonObject => assistant({ type: 'tool_use', id: 't1', name, input })
const result = (toolUseResult: JsonValue): JsonObject =>
  user({
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
    toolUseResult,
  })
const system = (fields: JsonObject): JsonObject => ({ type: 'system', ...envelope, ...fields })
const attachment = (data: JsonObject): JsonObject => ({ type: 'attachment', ...envelope, attachment: data })

function driftOf(...rows: JsonObject[]): string[] {
  const fold = new DriftFold()
  for (const [i, row] of rows.entries()) fold.add(row, at(i + 1))
  return fold.items().map(({ kind, type, path }) => `${kind} ${type} ${path}`.trimEnd())
}

describe('kinds of drift', () => {
  test('a record type nobody knows is reported once, and not looked into', () => {
    expect(driftOf({ type: 'novel', x: { y: 1 } })).toEqual(['UNKNOWN_TYPE novel'])
  })

  test('a record without a type has the type that says nothing', () => {
    expect(driftOf({ x: 1 })).toEqual(['UNKNOWN_TYPE'])
  })

  test('a field that is not in the schema is new', () => {
    expect(driftOf(user({ moonPhase: { full: true } }))).toEqual(['NEW_FIELD user moonPhase'])
  })

  test('a value of another type is a mismatch at its path', () => {
    expect(driftOf(user({ message: { role: 'user', content: 7 } }))).toEqual(['TYPE_MISMATCH user message.content'])
    expect(driftOf(user({ message: null }))).toEqual(['TYPE_MISMATCH user message'])
    expect(driftOf(user({ isMeta: 'yes' }))).toEqual(['TYPE_MISMATCH user isMeta'])
  })

  test('a mismatch says what was expected and what was found', () => {
    const fold = new DriftFold()
    for (const content of [7, true]) fold.add(user({ message: { role: 'user', content } }), at(1))
    fold.add(user({ message: null, isMeta: 'yes' }), at(2))
    expect(fold.items().map(({ path, detail }) => `${path}: ${detail}`)).toEqual([
      'isMeta: expected boolean, found string',
      'message: expected object, found null',
      'message.content: expected string or array, found boolean',
      'message.content: expected string or array, found number',
    ])
  })

  test('null is a mismatch only where the client does not write it', () => {
    expect(driftOf(user({ parentUuid: null }))).toEqual([])
    expect(driftOf(user({ cwd: null }))).toEqual(['TYPE_MISMATCH user cwd'])
  })

  test('a field that every version writes is missed', () => {
    const { sessionId: _, ...rest } = user()
    expect(driftOf(rest)).toEqual(['MISSING_FIELD user sessionId'])
  })
})

describe('paths', () => {
  test('name the block of a message', () => {
    expect(driftOf(assistant({ type: 'text', text: 'hi', tone: 'warm' }))).toEqual([
      'NEW_FIELD assistant message.content[].text.tone',
    ])
    expect(driftOf(assistant({ type: 'text' }))).toEqual(['MISSING_FIELD assistant message.content[].text.text'])
  })

  test('reach through a tool result to its blocks', () => {
    const content = [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 5 }] }]
    expect(driftOf(user({ message: { role: 'user', content } }))).toEqual([
      'TYPE_MISMATCH user message.content[].tool_result.content[].text.text',
    ])
  })

  test('name an unknown block by its discriminator, and stop there', () => {
    expect(driftOf(assistant({ type: 'hologram', beam: {} }))).toEqual([
      'UNKNOWN_TYPE assistant message.content[].type=hologram',
    ])
    expect(driftOf(assistant({ beam: {} }))).toEqual(['MISSING_FIELD assistant message.content[].type'])
    expect(driftOf(assistant({ type: 5 }))).toEqual(['TYPE_MISMATCH assistant message.content[].type'])
  })

  test('name the tool whose input changed', () => {
    expect(driftOf(call('Bash', { command: 'ls', timeout: '5000' }))).toEqual([
      'TYPE_MISMATCH assistant message.content[].tool_use(Bash).input.timeout',
    ])
    expect(driftOf(call('Edit', { file_path: '/a', old_string: 'x' }))).toEqual([
      'MISSING_FIELD assistant message.content[].tool_use(Edit).input.new_string',
    ])
    expect(driftOf(call('TodoWrite', { todos: [{ content: 'a', status: 'pending', mood: 'good' }] }))).toEqual([
      'NEW_FIELD assistant message.content[].tool_use(TodoWrite).input.todos[].mood',
    ])
  })

  test('leave the tools of other servers alone', () => {
    expect(driftOf(call('mcp__weather__now', { place: 1 }))).toEqual([])
  })

  test('name a tool that nobody knows, and do not look into its input', () => {
    const names = ['Teleport', '__proto__', 'constructor']
    expect(driftOf(...names.map((name) => call(name, { a: 1 })))).toEqual(
      names.toSorted().map((name) => `UNKNOWN_TYPE assistant message.content[].tool_use.name=${name}`),
    )
  })

  test('name the tool whose result changed, known by its fields alone', () => {
    const edit = { filePath: '/a', oldString: 'x', newString: 'y', originalFile: 'x', structuredPatch: [] }
    expect(driftOf(result({ ...edit, userModified: 'no' }))).toEqual([
      'TYPE_MISMATCH user toolUseResult(Edit).userModified',
    ])
    expect(driftOf(result({ stdout: '', stderr: '', interrupted: false, isImage: false, weight: 3 }))).toEqual([
      'NEW_FIELD user toolUseResult(Bash).weight',
    ])
    const file = { filePath: '/a', content: '', numLines: 1, startLine: 1 }
    expect(driftOf(result({ type: 'text', file }))).toEqual(['MISSING_FIELD user toolUseResult(Read).file.totalLines'])
  })

  test('say nothing of a result that looks like none we know', () => {
    expect(driftOf(result('Error: no'))).toEqual([])
    expect(driftOf(result([{ type: 'text', text: 'from a server' }]))).toEqual([])
    expect(driftOf(result({ temperature: 21 }))).toEqual([])
    expect(driftOf(result({ message: 'done', id: 7, url: 'x' }))).toEqual([])
    expect(driftOf(result({ query: 'q', results: [], durationSeconds: 1, a: 1, b: 2, c: 3, d: 4 }))).toEqual([])
  })

  test('name the attachment', () => {
    expect(driftOf(attachment({ type: 'queued_command', prompt: 5 }))).toEqual([
      'TYPE_MISMATCH attachment attachment(queued_command).prompt',
    ])
    expect(driftOf(attachment({ type: 'foo', bar: 1 }))).toEqual(['UNKNOWN_TYPE attachment attachment.type=foo'])
  })

  test('name the subtype of a system row', () => {
    expect(driftOf(system({ subtype: 'turn_duration', durationMs: '12' }))).toEqual([
      'TYPE_MISMATCH system system(turn_duration).durationMs',
    ])
    expect(driftOf(system({ subtype: 'sunrise', content: 5 }))).toEqual(['UNKNOWN_TYPE system system.subtype=sunrise'])
  })

  test('name the kind of progress', () => {
    const data = { type: 'query_update', query: 'q', depth: 1 }
    expect(driftOf({ type: 'progress', ...envelope, data })).toEqual(['NEW_FIELD progress data(query_update).depth'])
    expect(driftOf({ type: 'progress', ...envelope, data: { type: 'tea_progress' } })).toEqual([
      'UNKNOWN_TYPE progress data.type=tea_progress',
    ])
  })

  test('stand with a star for keys that are data', () => {
    const snapshot = { messageId: 'm', timestamp: 't', trackedFileBackups: { 'a.ts': { version: 1, backupTime: 't' } } }
    expect(driftOf({ type: 'file-history-snapshot', messageId: 'm', snapshot, isSnapshotUpdate: false })).toEqual([
      'MISSING_FIELD file-history-snapshot snapshot.trackedFileBackups.*.backupFileName',
    ])
  })
})

describe('hostile rows', () => {
  test('a field named __proto__ is a new field like any other', () => {
    const row = parseJson('{"type":"mode","mode":"normal","sessionId":"s","__proto__":{"x":1}}')
    expect(driftOf(...[row].filter(isObject))).toEqual(['NEW_FIELD mode __proto__'])
  })

  test('a type named like a member of every object is unknown', () => {
    expect(driftOf({ type: '__proto__' })).toEqual(['UNKNOWN_TYPE __proto__'])
    expect(driftOf({ type: 'constructor' })).toEqual(['UNKNOWN_TYPE constructor'])
    expect(driftOf(attachment({ type: 'toString' }))).toEqual(['UNKNOWN_TYPE attachment attachment.type=toString'])
  })

  test('what only the prototype has does not count as present', () => {
    const row = Object.assign(Object.create({ mode: 'normal' }), { type: 'mode', sessionId: 's' })
    expect(driftOf(row)).toEqual(['MISSING_FIELD mode mode'])
  })

  test('nesting of any depth is safe', () => {
    let deep: JsonValue = []
    for (let i = 0; i < 100_000; i++) deep = [deep]
    let tower: JsonObject = {}
    for (let i = 0; i < 100_000; i++) tower = { content: tower }
    expect(driftOf(user({ message: { role: 'user', content: deep as JsonValue } }))).toEqual([
      'TYPE_MISMATCH user message.content[]',
    ])
    expect(driftOf(result(tower), call('Bash', { command: tower }))).toEqual([
      'TYPE_MISMATCH assistant message.content[].tool_use(Bash).input.command',
    ])
  })

  test('endless names are cut', () => {
    const [item] = driftOf({ type: 'mode', mode: 'normal', sessionId: 's', ['x'.repeat(5000)]: 1 })
    expect(item).toBe(`NEW_FIELD mode ${'x'.repeat(100)}…`)
  })
})

describe('the fold', () => {
  test('counts, and sorts the most frequent first, then by path', () => {
    const fold = new DriftFold()
    fold.add(user({ b: 1, a: 1 }), at(1))
    fold.add(user({ c: 1 }), at(2))
    fold.add(user({ c: 1 }), at(3))
    expect(fold.items().map(({ path, count }) => [path, count])).toEqual([
      ['c', 2],
      ['a', 1],
      ['b', 1],
    ])
  })

  test('collects the versions that wrote it, sorted as versions', () => {
    const fold = new DriftFold()
    for (const version of ['2.1.112', '2.1.9', '1.0.128', '2.1.112']) fold.add(user({ version, x: 1 }), at(1))
    expect(fold.items()[0]?.versions).toEqual(['1.0.128', '2.1.9', '2.1.112'])
  })

  test('a row that names no version takes the last one of its file', () => {
    const fold = new DriftFold()
    const tag = { type: 'tag', tag: 't', sessionId: 's', x: 1 }
    fold.add(tag, at(1, '/b'))
    fold.add(user({ version: '2.1.200' }), at(1, '/a'))
    fold.add(tag, at(2, '/a'))
    fold.add(tag, at(2, '/b'))
    expect(fold.items()[0]).toMatchObject({ count: 3, versions: ['2.1.200', 'unknown'], example: at(2, '/a') })
  })

  test('merges what other folds found', () => {
    const one = new DriftFold()
    one.add(user({ version: '2.0.0', x: 1 }), at(9))
    const two = new DriftFold()
    two.add(user({ version: '1.0.0', x: 1 }), at(4))
    two.add({ type: 'novel' }, at(5))
    one.merge(two.items())
    expect(one.items()).toEqual([
      {
        kind: 'NEW_FIELD',
        type: 'user',
        path: 'x',
        detail: null,
        count: 2,
        versions: ['1.0.0', '2.0.0'],
        example: at(4),
      },
      { kind: 'UNKNOWN_TYPE', type: 'novel', path: '', detail: null, count: 1, versions: ['1.0.0'], example: at(5) },
    ])
  })

  test('gives the same items whatever the order of rows that name their version', () => {
    const row = fc.record({
      version: fc.constantFrom('1.0.0', '2.0.77', '2.1.9', '2.1.112'),
      name: fc.constantFrom('x', 'y', '__proto__', 'toString'),
      make: fc.constantFrom(
        (extra: JsonObject) => user(extra),
        (extra: JsonObject) => ({ ...call('Bash', { command: 5, ...extra }), ...extra }),
        (extra: JsonObject) => ({ ...system({ subtype: 'dawn' }), ...extra }),
        (extra: JsonObject) => ({ type: 'novel', ...extra }),
      ),
    })
    fc.assert(
      fc.property(fc.array(row), fc.infiniteStream(fc.nat()), (rows, keys) => {
        const placed = rows.map(({ version, name, make }, i) => ({
          row: make({ version, [name]: 1 }),
          place: at(i, `/${i % 3}`),
          key: keys.next().value ?? 0,
        }))
        const fold = (list: typeof placed) => {
          const folded = new DriftFold()
          for (const { row, place } of list) folded.add(row, place)
          return folded.items()
        }
        expect(fold([...placed].sort((a, b) => a.key - b.key))).toEqual(fold(placed))
      }),
    )
  })

  test('takes any JSON without throwing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RECORD_TYPES), fc.dictionary(fc.string(), fc.jsonValue()), (type, fields) => {
        const fold = new DriftFold()
        fold.add(
          { ...envelope, message: fields, attachment: fields, data: fields, ...fields, type } as JsonObject,
          at(1),
        )
        for (const name of Object.keys(documentSchemas)) fold.addDocument(name, fields as JsonValue, at(1))
        expect(fold.items().every((item) => item.count > 0)).toBe(true)
      }),
    )
  })
})

describe('the schemas', () => {
  const minimal: Record<string, JsonObject> = {
    user: user(),
    assistant: assistant({ type: 'text', text: 'hi' }),
    system: system({ subtype: 'informational', content: 'note', level: 'info' }),
    attachment: attachment({ type: 'date', date: '2026-01-02' }),
    progress: {
      type: 'progress',
      ...envelope,
      data: { type: 'hook_progress', hookEvent: 'Stop', hookName: 'Stop', command: 'true' },
      toolUseID: 't1',
      parentToolUseID: 't1',
    },
    summary: { type: 'summary', summary: 'A title', leafUuid: 'u2' },
    'file-history-snapshot': {
      type: 'file-history-snapshot',
      messageId: 'u1',
      snapshot: {
        messageId: 'u1',
        trackedFileBackups: { 'a.ts': { backupFileName: null, version: 1, backupTime: time.timestamp } },
        ...time,
      },
      isSnapshotUpdate: false,
    },
    'file-history-delta': {
      type: 'file-history-delta',
      messageId: 'u2',
      snapshotMessageId: 'u1',
      trackingPath: 'a.ts',
      backup: { backupFileName: '0011223344556677@v1', version: 1, backupTime: time.timestamp },
      ...time,
    },
    'queue-operation': { type: 'queue-operation', operation: 'dequeue', ...time, ...session },
    'custom-title': { type: 'custom-title', customTitle: 'Mine', ...session },
    'ai-title': { type: 'ai-title', aiTitle: 'Its', ...session },
    'last-prompt': { type: 'last-prompt', leafUuid: null, explicit: true, ...session },
    tag: { type: 'tag', tag: '', ...session },
    'agent-name': { type: 'agent-name', agentName: 'Mine', ...session },
    'agent-color': { type: 'agent-color', agentColor: 'blue', ...session },
    'agent-setting': { type: 'agent-setting', agentSetting: 'general-purpose', ...session },
    mode: { type: 'mode', mode: 'normal', ...session },
    'permission-mode': { type: 'permission-mode', permissionMode: 'plan', ...session },
    'pr-link': { type: 'pr-link', prNumber: 7, prUrl: 'https://x/7', prRepository: 'a/b', ...time, ...session },
    'worktree-state': { type: 'worktree-state', worktreeSession: null, ...session },
    relocated: { type: 'relocated', relocatedCwd: '/w', ...session },
    'content-replacement': { type: 'content-replacement', replacements: [], ...session },
    'cost-state': {
      type: 'cost-state',
      totalCostUSD: 0.5,
      modelUsage: { 'claude-x': { inputTokens: 1, outputTokens: 2, costUSD: 0.5 } },
      ...session,
    },
    'tools-used': { type: 'tools-used', tools: ['Bash'], ...session },
    'atis-latch': { type: 'atis-latch', atis: '', ...session },
    'api-request-shape': { type: 'api-request-shape', shapeHash: 'h', shape: { system: [], tools: [] }, ...session },
    'api-request-blob': { type: 'api-request-blob', hash: 'h', message: { role: 'system', content: 'x' }, ...session },
    'api-request': { type: 'api-request', id: 'r', keep: 0, tail: [], cacheControl: [], ...session },
    'bridge-session': { type: 'bridge-session', bridgeSessionId: '', lastSequenceNum: 0, ...session },
    'history-suppression': { type: 'history-suppression', cause: 'c', ts: 1, ...session },
    'frame-link': { type: 'frame-link', artifactCount: 1, ...time, ...session },
    'artifact-comment-monitor': { type: 'artifact-comment-monitor', v: 1, artifacts: {}, ...session },
    'artifact-autoreact-ledger': { type: 'artifact-autoreact-ledger', v: 1, artifacts: {}, ...session },
    'fork-context-ref': { type: 'fork-context-ref', agentId: 'a1', ...session },
    'observer-ref': { type: 'observer-ref', ...time, ...session },
    'isolation-latch': { type: 'isolation-latch', side: 'left', ...session },
    'dev-mods': { type: 'dev-mods', folder: '/m', ...session },
    'session-owner': { type: 'session-owner', ...session },
    'repl-mode': { type: 'repl-mode', replMode: true, ...session },
    'memory-mode': { type: 'memory-mode', mode: 'off', afterUuid: 'u1', ...time, ...session },
    'data-flow-records': { type: 'data-flow-records', v: 1, records: [], ...session },
    'data-flow-incomplete': { type: 'data-flow-incomplete', v: 1, ...session },
    'derived-from': { type: 'derived-from', v: 1, sessions: ['s0'], ...session },
    'continued-in': { type: 'continued-in', continuedInSessionId: 's2', ...time, ...session },
    'ended-by-model': { type: 'ended-by-model', ...time, ...session },
    'resume-head-vouch': { type: 'resume-head-vouch', sum: 'abc', ...session },
    'attribution-snapshot': { type: 'attribution-snapshot', messageId: 'u1' },
    'speculation-accept': { type: 'speculation-accept', timeSavedMs: 12, ...session },
    'task-summary': { type: 'task-summary', summary: 'x', ...session },
    'marble-origami-commit': { type: 'marble-origami-commit', ...session },
    'marble-origami-snapshot': { type: 'marble-origami-snapshot', ...session },
    'marble-origami-reset': { type: 'marble-origami-reset', ...session },
  }

  test('there is one for every record type', () => {
    expect(Object.keys(recordSchemas).sort()).toEqual([...RECORD_TYPES].sort())
    expect(Object.keys(minimal).sort()).toEqual([...RECORD_TYPES].sort())
  })

  test.each(Object.entries(minimal))('the smallest row of type %s shows no drift', (_, row) => {
    expect(driftOf(row)).toEqual([])
  })

  const documents: Record<string, JsonValue> = {
    history: { display: '/help', pastedContents: {}, timestamp: 1758992388766, project: '/p' },
    'agent-meta': { agentType: 'general-purpose', description: 'look' },
    'sessions-index': { version: 1, entries: [{ sessionId: 's1', messageCount: 2 }] },
    todos: [{ content: 'First', status: 'pending', activeForm: 'Doing first' }],
    task: { id: '1', subject: 'Build', description: 'it', status: 'pending', blocks: [], blockedBy: [] },
    'stats-cache': { version: 1, lastComputedDate: '2026-01-01', hourCounts: { '9': 4 } },
    'live-session': { pid: 7, sessionId: 's1', cwd: '/p', startedAt: 1, status: 'busy' },
    journal: { type: 'started', key: 'k', agentId: 'a1', label: 'l', phase: 'p' },
  }

  test.each(Object.entries(documents))('the smallest %s document shows no drift', (name, value) => {
    const fold = new DriftFold()
    fold.addDocument(name, value, at(1))
    expect(fold.items()).toEqual([])
    expect(Object.keys(documentSchemas).sort()).toEqual(Object.keys(documents).sort())
  })

  test('documents drift like records, under their own names', () => {
    const fold = new DriftFold()
    fold.addDocument('todos', [{ content: 'a', status: 'pending' }, { content: 'b' }], at(1))
    fold.addDocument('journal', { type: 'paused', key: 'k' }, at(2))
    fold.addDocument('live-session', { pid: 'x', sessionId: 's', version: '2.1.325' }, at(3))
    fold.addDocument('horoscope', {}, at(4))
    expect(fold.items().map(({ kind, type, path, versions }) => [kind, type, path, versions[0]])).toEqual([
      ['UNKNOWN_TYPE', 'horoscope', '', 'unknown'],
      ['UNKNOWN_TYPE', 'journal', 'journal.type=paused', 'unknown'],
      ['TYPE_MISMATCH', 'live-session', 'pid', '2.1.325'],
      ['MISSING_FIELD', 'todos', 'status', 'unknown'],
    ])
  })
})
