import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { type StepRow, stepRow, stepsOf } from './steps.ts'

const text = (words: string): JsonObject => ({ type: 'text', text: words })
const call = (name: string, input: JsonObject, id = name): JsonObject => ({ type: 'tool_use', id, name, input })
const row = (...content: JsonObject[]): StepRow => stepRow({ cwd: '/home/ana/api', message: { content } })
const numbered = (rows: readonly StepRow[]) => rows.map((one, at) => [at, one] as const)

describe('a row of a response', () => {
  test('tells the first line that was said and every call, named by command or file', () => {
    const { said, calls } = row(
      text('\n## **First** I look.\n\nThen more.'),
      call('Bash', { command: 'npm test -- auth\necho done' }),
      call('Edit', { file_path: '/home/ana/api/src/auth.ts', old_string: 'a', new_string: 'b' }),
    )
    expect(said).toBe('First I look.')
    expect(calls.map(({ words, act }) => [words, act])).toEqual([
      ['Bash · npm test -- auth', 'test'],
      ['Edit · src/auth.ts', null],
    ])
  })

  test('knows a commit, and what waits for a person', () => {
    const { calls } = row(
      call('Bash', { command: 'git add -A && git commit -m "Fix it"' }),
      call('AskUserQuestion', { questions: [{ question: 'Which?', options: [] }] }),
      call('ExitPlanMode', { plan: '# Paint it' }),
    )
    expect(calls.map(({ act, isAsking }) => [act, isAsking])).toEqual([
      ['commit', false],
      [null, true],
      [null, true],
    ])
  })

  test('has no words where nothing was said', () => {
    expect(row(text('  \n---\n'), call('Read', { file_path: '/etc/hosts' })).said).toBe('')
    expect(stepRow({})).toEqual({ said: '', calls: [] })
  })
})

describe('steps', () => {
  test('begin with what was said before a run of tools; an answer is none', () => {
    const steps = stepsOf(
      numbered([
        row(text('Let me look.')),
        row(call('Read', { file_path: '/a' })),
        row(call('Read', { file_path: '/b' })),
        row(text('Found it. I fix it.'), call('Edit', { file_path: '/a' })),
        row(text('Done.')),
      ]),
    )
    expect(steps.map((step) => [step.row, step.words, step.isSaid, step.calls.length])).toEqual([
      [0, 'Let me look.', true, 2],
      [3, 'Found it. I fix it.', true, 1],
    ])
  })

  test('without a word are named by what was done, twenty calls at a time', () => {
    const reads = Array.from({ length: 45 }, () => row(call('Read', { file_path: '/a' })))
    const steps = stepsOf(numbered([...reads, row(call('Bash', { command: 'ls' }))]))
    expect(steps.map((step) => [step.row, step.words, step.isSaid])).toEqual([
      [0, 'Read ×20', false],
      [20, 'Read ×20', false],
      [40, 'Read ×5, Bash', false],
    ])
    expect(stepsOf(numbered([row(call('Bash', { command: 'ls' }))]))[0]?.words).toBe('Bash · ls')
  })

  test('have every call once', () => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      row(...(at % 7 === 0 ? [text(`Part ${at}`)] : []), call('Read', { file_path: '/a' }, `t${at}`)),
    )
    const ids = stepsOf(numbered(rows)).flatMap(({ calls }) => calls.map(({ id }) => id))
    expect(ids).toEqual(Array.from({ length: 30 }, (_, at) => `t${at}`))
  })
})
