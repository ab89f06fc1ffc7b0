import { expect, test } from 'vitest'
import { callOf, startedAgent, viewOf } from '../../../../tests/support/format-sample-parts.ts'
import { alignRows, isLookingAround, lookedAround, toolRows } from './tool-line.ts'

const place = { view: viewOf(), folder: '/code/api' }
const lineOf = (...call: Parameters<typeof callOf>) => alignRows(toolRows(callOf(...call), place), 80)

test.each([
  ['WebFetch', { url: 'https://example.org' }, 'fetch  https://example.org'],
  ['TodoWrite', { todos: [{ status: 'completed' }, { status: 'pending' }] }, 'todo  1 of 2 done'],
  ['TaskUpdate', { taskId: '2', status: 'in_progress' }, 'task  #2 in progress'],
  ['AskUserQuestion', { questions: [{ question: 'Which?' }] }, 'ask  Which?'],
  ['ExitPlanMode', { plan: '\n# Rate limits\n\nmore' }, 'plan  Rate limits'],
  ['Bash', { command: 'cat <<EOF\na\nb\nEOF' }, 'bash  cat <<EOF … 3 more lines  ✓'],
  ['Write', { file_path: '/elsewhere/x.ts', content: 'a\nb\n' }, 'write  /elsewhere/x.ts  +2'],
  ['__proto__', { a: 1, b: 'words' }, '__proto__  words'],
  ['constructor', {}, 'constructor'],
])('%s %j', (name, input, line) => {
  expect(lineOf(name, input)).toEqual([line])
})

test('tells what went wrong', () => {
  const failed = { isError: true, outcome: 'failed' } as const
  const error = '<tool_use_error>String not found.</tool_use_error>'
  expect(lineOf('Edit', { file_path: '/code/api/x.ts' }, { ...failed, result: error })).toEqual([
    'edit  x.ts  ✗ String not found.',
  ])
  const declined = "The user doesn't want to proceed with this tool use. The tool use was rejected."
  expect(lineOf('Bash', { command: 'rm x' }, { ...failed, outcome: 'declined', result: declined })).toEqual([
    'bash  rm x  ✗ declined',
  ])
  const stopped = 'Exit code 137\n[Request interrupted by user for tool use]'
  expect(lineOf('Bash', { command: 'sleep' }, { ...failed, outcome: 'interrupted', result: stopped })).toEqual([
    'bash  sleep  ✗ interrupted',
  ])
  expect(lineOf('Bash', { command: 'false' }, { ...failed, result: 'Exit code 1', exitCode: 1 })).toEqual([
    'bash  false  ✗ exit code 1',
  ])
  expect(lineOf('Bash', { command: 'true' }, { outcome: 'unanswered', result: null, isError: null })).toEqual([
    'bash  true',
  ])
})

test('tells what an exit code means, and from which line on a file was read', () => {
  const details = {
    kind: 'command' as const,
    stderr: null,
    returnCodeInterpretation: 'No matches found',
    backgroundTaskId: null,
  }
  expect(lineOf('Bash', { command: 'grep x y' }, { details })).toEqual(['bash  grep x y  ✓ No matches found'])
  expect(lineOf('Read', { file_path: '/code/api/a.ts', offset: 40 })).toEqual(['read  a.ts from line 40'])
  expect(lineOf('Grep', { pattern: 'TODO', path: '/code/api/src', glob: '*.ts' })).toEqual(['grep  TODO in src *.ts'])
})

test('shows agents one by one, below their workflow', () => {
  const agents = [
    startedAgent({ id: '1', type: 'writer', description: 'write', toolUses: 1 }),
    startedAgent({ id: '2', type: null, description: null, toolUses: 0, failed: 'stopped' }),
  ]
  expect(lineOf('Workflow', { script: '' }, { agents })).toEqual([
    'flow  2 agents',
    '◆ writer  write  1 tool',
    '◆ agent          ✗ stopped',
  ])
  expect(lineOf('Task', { subagent_type: 'Explore', description: 'look' })).toEqual(['◆ Explore  look'])
})

test('sums up what only looked around', () => {
  const read = (path: string) => callOf('Read', { file_path: path })
  const calls = [
    read('/code/api/a.ts'),
    read('/code/api/a.ts'),
    callOf('Glob', { pattern: '*.ts' }),
    callOf('LS', { path: '/' }),
  ]
  expect(calls.every(isLookingAround)).toBe(true)
  expect(lookedAround(calls, place).what).toBe('read a.ts · searched *.ts · listed 1 folder')
  const many = [read('/a'), read('/b'), callOf('Grep', { pattern: 'x' }), callOf('Grep', { pattern: 'y' })]
  expect(lookedAround(many, place).what).toBe('read 2 files · searched 2')
  expect(isLookingAround(callOf('Read', { file_path: '/x' }, { outcome: 'failed', isError: true }))).toBe(false)
})

test('sets outcomes below each other, but not behind a line that is long', () => {
  const rows = [
    { verb: 'bash', what: 'x'.repeat(70), outcome: '✓' },
    { verb: 'edit', what: 'a.ts', outcome: '+1' },
    { verb: 'write', what: 'longer.ts', outcome: '+2' },
  ]
  expect(alignRows(rows, 60)).toEqual([`bash   ${'x'.repeat(49)}…  ✓`, 'edit   a.ts       +1', 'write  longer.ts  +2'])
  expect(alignRows(rows, Number.POSITIVE_INFINITY)[0]).toBe(`bash   ${'x'.repeat(70)}  ✓`)
})
