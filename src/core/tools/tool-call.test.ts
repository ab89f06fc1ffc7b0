import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../json.ts'
import { fileOf, outcomeOf, planOf, resultText } from './tool-call.ts'

const CALLED = '2026-03-02T09:00:00.000Z'
const answer = (content: JsonValue, details?: JsonValue, isError?: boolean): JsonObject => ({
  timestamp: '2026-03-02T09:00:02.500Z',
  message: {
    content: [{ type: 'tool_result', tool_use_id: 't', content, ...(isError !== undefined && { is_error: isError }) }],
  },
  ...(details !== undefined && { toolUseResult: details }),
})
const bash = (content: JsonValue, details?: JsonValue, isError?: boolean) =>
  outcomeOf('Bash', 't', CALLED, answer(content, details, isError))

describe('the exit code of a Bash call', () => {
  test.each<[string, ReturnType<typeof bash>, number | null]>([
    ['it went well', bash('a', { stdout: 'a', stderr: '', interrupted: false }), 0],
    ['told in the text', bash('Exit code 2\nno such file', 'Error: Exit code 2\nno such file', true), 2],
    ['told in the details', bash('x', 'Error: Exit code 127', true), 127],
    ['it was interrupted', bash('a', { stdout: 'a', interrupted: true }), null],
    ['it runs on', bash('Running.', { backgroundTaskId: 'b1' }), null],
    ['a code was interpreted', bash('', { returnCodeInterpretation: 'No matches found' }), null],
    ['copied history without details', bash('a'), null],
    ['an error that tells none', bash('Permission denied', 'Error: Permission denied', true), null],
    ['another tool', outcomeOf('Read', 't', CALLED, answer('Exit code 2')), null],
  ])('%s', (_, { exitCode }, expected) => expect(exitCode).toBe(expected))
})

test('the text is what the model was given, in blocks or not', () => {
  expect(bash('plain').result).toBe('plain')
  expect(bash([{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }])).toMatchObject({
    result: 'a\nb',
    images: 1,
  })
  expect(bash(null).result).toBe('')
  expect(bash('no', 'Error: no', true).isError).toBe(true)
})

test.each<[string, JsonObject | undefined]>([
  ['no row', undefined],
  [
    'a row that answers another call',
    { message: { content: [{ type: 'tool_result', tool_use_id: 'u', content: 'x' }] } },
  ],
  ['a row without content', {}],
])('nothing came back: %s', (_, row) => {
  expect(outcomeOf('Bash', 't', CALLED, row)).toMatchObject({
    result: null,
    isError: null,
    exitCode: null,
    durationMs: null,
    patch: null,
  })
})

test.each<[string, JsonValue | undefined, number | null]>([
  ['noted', { durationMs: 12 }, 12],
  ['noted for an agent', { totalDurationMs: 34 }, 34],
  ['noted in seconds', { durationSeconds: 1.5 }, 1500],
  ['from call to answer', undefined, 2500],
  ['a number too large', { durationMs: Number.POSITIVE_INFINITY }, 2500],
])('the duration: %s', (_, details, expected) => expect(bash('x', details).durationMs).toBe(expected))

test('a duration that would be negative, or has no begin, is unknown', () => {
  expect(outcomeOf('Bash', 't', '2026-03-02T10:00:00.000Z', answer('x')).durationMs).toBeNull()
  expect(outcomeOf('Bash', 't', null, answer('x')).durationMs).toBeNull()
  expect(outcomeOf('Bash', 't', 'soon', answer('x')).durationMs).toBeNull()
})

test.each<[string, ReturnType<typeof bash>, string | null]>([
  [
    'named in the details',
    bash('x', { persistedOutputPath: '/home/a/.claude/projects/p/s/tool-results/b0123456.txt' }),
    'b0123456.txt',
  ],
  ['of another system', bash('x', { persistedOutputPath: 'C:\\Users\\a\\tool-results\\b1.txt' }), 'b1.txt'],
  [
    'named in the text',
    bash('<persisted-output>\nOutput too large (9 KB). Full output saved to: /x/tool-results/t1.txt\n\nPreview'),
    't1.txt',
  ],
  ['words about it', bash('saved to: /x/y.txt'), null],
])('the whole of a large output: %s', (_, { overflow }, expected) => expect(overflow).toBe(expected))

test('an edit has its patch, whatever is odd in it', () => {
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' a', '+b'] }
  const patch = outcomeOf(
    'Edit',
    't',
    CALLED,
    answer('ok', { structuredPatch: [hunk, null, { lines: [1, '-c'] }] }),
  ).patch
  expect(patch).toEqual([hunk, { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, lines: ['-c'] }])
  expect(bash('ok', { structuredPatch: [] }).patch).toBeNull()
})

test('the file and the plan of a call', () => {
  expect(fileOf({ file_path: '/a' })).toBe('/a')
  expect(fileOf({ notebook_path: '/b' })).toBe('/b')
  expect(fileOf({ path: '' })).toBeNull()
  expect(planOf({ plan: '# A' }, undefined)).toBe('# A')
  expect(planOf({}, { toolUseResult: { plan: '# B' } })).toBe('# B')
  expect(planOf({}, { toolUseResult: 'Error' })).toBeNull()
})

describe('how a call ended', () => {
  const declined =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
  const ended = (content: JsonValue, details?: JsonValue, isError?: boolean) =>
    outcomeOf('Bash', 't', CALLED, answer(content, details, isError)).outcome

  test.each<[string, string, string]>([
    ['it went well', ended('a', { stdout: 'a', stderr: '', interrupted: false }), 'done'],
    ['nothing was noted', ended('a'), 'done'],
    ['an exit code', ended('Exit code 1', 'Error: Exit code 1', true), 'failed'],
    ['an error', ended('<tool_use_error>File does not exist.</tool_use_error>', 'Error: …', true), 'failed'],
    ['a person said no', ended(declined, `Error: ${declined}`, true), 'declined'],
    ['a person said no, and why', ended(`${declined} The user said: no`, 'User rejected tool use', true), 'declined'],
    ['it was rejected', ended('Rejected.', 'User rejected tool use', true), 'declined'],
    ['it was stopped', ended('[Request interrupted by user for tool use]', 'Error: …', true), 'interrupted'],
    ['it was stopped as it ran', ended('a', { stdout: 'a', stderr: '', interrupted: true }, false), 'interrupted'],
    ['a file that speaks of it', ended(declined, { stdout: '', stderr: '', interrupted: false }), 'done'],
  ])('%s', (_, outcome, expected) => expect(outcome).toBe(expected))

  test('nothing came back', () => {
    expect(outcomeOf('Bash', 't', CALLED, undefined)).toMatchObject({ outcome: 'unanswered', result: null })
    expect(outcomeOf('Bash', 'other', CALLED, answer('a')).outcome).toBe('unanswered')
  })
})

test('the text of an answer is told without what the client wraps around it', () => {
  expect(resultText({ result: '<tool_use_error>No.</tool_use_error>', exitCode: null })).toBe('No.')
  expect(resultText({ result: 'Exit code 1\n  two', exitCode: 1 })).toBe('  two')
  expect(resultText({ result: 'Exit code 1\ntwo', exitCode: null })).toBe('Exit code 1\ntwo')
  expect(resultText({ result: null, exitCode: null })).toBe('')
})
