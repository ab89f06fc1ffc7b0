import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../json.ts'
import { meaningOf } from './meaning-of.ts'
import { outcomeOf, UNANSWERED } from './tool-call.ts'
import { diffOf } from './tool-diff.ts'
import { toolWords } from './tool-words.ts'

/** A call that was answered as the client writes answers: a text for the model, and what it noted beside it. */
function answered(name: string, input: JsonObject, content: JsonValue = '', noted?: JsonValue, isError?: boolean) {
  const block = { type: 'tool_result', tool_use_id: 't', content, ...(isError !== undefined && { is_error: isError }) }
  const row = { type: 'user', message: { content: [block] }, ...(noted !== undefined && { toolUseResult: noted }) }
  return { name, input, ...outcomeOf(name, 't', null, row) }
}

const meant = (...call: Parameters<typeof answered>) => meaningOf(answered(...call))
const asked = (name: string, input: JsonObject) => meaningOf({ ...UNANSWERED, name, input })

describe('a shell command', () => {
  const input = { command: 'make', description: 'Build it' }
  const noted = { stdout: 'built', stderr: 'warning: old', interrupted: false, isImage: false }

  test('tells what was run, and both streams apart', () => {
    expect(meant('Bash', input, 'built\nwarning: old', noted)).toEqual({
      kind: 'shell',
      command: 'make',
      description: 'Build it',
      isBackground: false,
      stdout: 'built\n',
      stderr: 'warning: old',
      returnCodeInterpretation: null,
    })
  })

  test('keeps all of an output that does not end with what was noted as stderr', () => {
    const odd = { ...noted, stderr: 'elsewhere' }
    expect(meant('Bash', input, 'warning: old\nbuilt', odd)).toMatchObject({
      stdout: 'warning: old\nbuilt',
      stderr: '',
    })
  })

  test('tells what an exit code means', () => {
    const found = { stdout: '', stderr: '', interrupted: false, returnCodeInterpretation: 'No matches found' }
    expect(meant('Bash', { command: 'grep x y' }, '', found)).toMatchObject({
      returnCodeInterpretation: 'No matches found',
    })
  })

  test('goes on in the background', () => {
    const started = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b12' }
    expect(meant('Bash', input, 'Command running in background with ID: b12', started)).toMatchObject({
      isBackground: true,
    })
  })

  test('loses the exit code that stands before its output', () => {
    expect(meant('Bash', input, 'Exit code 2\nno rule', 'Error: Exit code 2\nno rule', true)).toMatchObject({
      stdout: 'no rule',
      stderr: '',
    })
  })
})

test.each<[string, JsonObject, object]>([
  ['Read', { file_path: '/a.ts' }, { kind: 'read', file: '/a.ts', fromLine: null }],
  ['Read', { file_path: '/a.ts', offset: 40 }, { kind: 'read', fromLine: 40 }],
  ['NotebookRead', { notebook_path: '/a.ipynb' }, { kind: 'read', file: '/a.ipynb' }],
  ['LS', { path: '/a' }, { kind: 'list', folder: '/a' }],
  ['Grep', { pattern: 'x', path: '/a', glob: '*.ts' }, { kind: 'grep', pattern: 'x', folder: '/a', glob: '*.ts' }],
  ['Glob', { pattern: '**/*.ts' }, { kind: 'glob', pattern: '**/*.ts', folder: null }],
  ['Write', { file_path: '/a', content: 'x' }, { kind: 'write', file: '/a', content: 'x' }],
  [
    'Edit',
    { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true },
    { kind: 'edit', file: '/a', replacements: [{ oldText: 'x', newText: 'y', isAll: true }] },
  ],
  [
    'MultiEdit',
    { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }, { old_string: 'p' }] },
    {
      kind: 'edit',
      replacements: [
        { oldText: 'x', newText: 'y', isAll: false },
        { oldText: 'p', newText: '', isAll: false },
      ],
    },
  ],
  [
    'NotebookEdit',
    { notebook_path: '/n.ipynb', new_source: '# x', cell_type: 'markdown', edit_mode: 'insert', cell_id: 'c1' },
    { kind: 'notebook', file: '/n.ipynb', mode: 'insert', cell: 'c1', isMarkdown: true, source: '# x' },
  ],
  ['BashOutput', { bash_id: 'b1' }, { kind: 'shell-output', task: 'b1' }],
  ['TaskOutput', { task_id: 'b2' }, { kind: 'shell-output', task: 'b2' }],
  ['KillShell', { shell_id: 'b1' }, { kind: 'shell-stop', task: 'b1' }],
  ['TaskStop', { task_id: 'b2' }, { kind: 'shell-stop', task: 'b2' }],
  ['Monitor', { command: 'tail -f x' }, { kind: 'watch', command: 'tail -f x' }],
  [
    'Task',
    { subagent_type: 'Explore', description: 'look', prompt: 'Look.' },
    { kind: 'agent', type: 'Explore', description: 'look', prompt: 'Look.' },
  ],
  ['Agent', { prompt: 'Look.' }, { kind: 'agent', type: null, description: null, prompt: 'Look.' }],
  ['Workflow', { name: 'review' }, { kind: 'workflow', description: 'review' }],
  ['Skill', { skill: 'pdf', args: 'a.pdf' }, { kind: 'skill', name: 'pdf', args: 'a.pdf' }],
  ['SlashCommand', { command: '/review' }, { kind: 'slash-command', command: '/review' }],
  [
    'WebFetch',
    { url: 'https://a.example', prompt: 'Who?' },
    { kind: 'fetch', url: 'https://a.example', asked: 'Who?' },
  ],
  ['ToolSearch', { query: 'select:X' }, { kind: 'tool-search', query: 'select:X' }],
  ['EnterPlanMode', {}, { kind: 'plan-start' }],
  ['TaskGet', { taskId: '3' }, { kind: 'task-get', id: '3' }],
  [
    'mcp__tracker__find_issue',
    { words: 'login' },
    { kind: 'mcp', server: 'tracker', tool: 'find_issue', about: 'login' },
  ],
  ['Novel', { depth: 1, path: '/a' }, { kind: 'other', about: '/a', file: '/a' }],
  ['__proto__', {}, { kind: 'other', about: '', file: null }],
])('%s %j', (name, input, meaning) => {
  expect(asked(name, input)).toMatchObject(meaning)
})

describe('a plan', () => {
  test('stands in the input, or where the client noted it', () => {
    expect(asked('ExitPlanMode', { plan: '# A' })).toEqual({ kind: 'plan', plan: '# A' })
    expect(asked('exit_plan_mode', { plan: '# A' })).toEqual({ kind: 'plan', plan: '# A' })
    const noted = { plan: '# B', isAgent: false, filePath: '/plans/b.md' }
    expect(meant('ExitPlanMode', {}, 'User has approved your plan.', noted)).toEqual({ kind: 'plan', plan: '# B' })
    expect(asked('ExitPlanMode', {})).toEqual({ kind: 'plan', plan: null })
  })
})

describe('a question', () => {
  const options = [{ label: 'Red', description: 'Warm' }, { label: 'Blue' }]
  const input = { questions: [{ question: 'Which "colour"?', options }] }
  const expected = {
    kind: 'question',
    questions: [
      {
        question: 'Which "colour"?',
        options: [
          { label: 'Red', description: 'Warm', isChosen: false },
          { label: 'Blue', description: null, isChosen: true },
        ],
        answer: 'Blue',
      },
    ],
  }

  test('has the answer that the client noted', () => {
    const noted = { questions: input.questions, answers: { 'Which "colour"?': 'Blue' } }
    expect(meant('AskUserQuestion', input, 'User has answered.', noted)).toEqual(expected)
  })

  test('has the answer that the model was told, where nothing was noted', () => {
    const told = 'User has answered your questions: "Which "colour"?"="Blue". You can now continue.'
    expect(meant('AskUserQuestion', input, told)).toEqual(expected)
  })

  test('has no answer while there is none', () => {
    expect(asked('AskUserQuestion', input)).toMatchObject({ questions: [{ answer: null }] })
  })
})

describe('things to do', () => {
  const task = (id: string | null, subject: string, status: string) => ({ id, subject, status, description: null })

  test('are those of the list that was written', () => {
    const todos = [
      { content: 'Write', status: 'completed', activeForm: 'Writing' },
      { content: 'Test', status: 'pending', activeForm: 'Testing' },
    ]
    const tasks = [task(null, 'Write', 'completed'), task(null, 'Test', 'pending')]
    expect(asked('TodoWrite', { todos })).toEqual({ kind: 'todos', tasks })
  })

  test('are made, changed and listed', () => {
    const noted = { task: { id: '3', subject: 'Test' } }
    expect(meant('TaskCreate', { subject: 'Test' }, 'Task #3 created successfully', noted)).toEqual({
      kind: 'task-create',
      tasks: [task('3', 'Test', 'pending')],
    })
    expect(asked('TaskUpdate', { taskId: '3', status: 'in_progress' })).toEqual({
      kind: 'task-update',
      tasks: [task('3', '', 'in_progress')],
    })
    const listed = { kind: 'task-list', tasks: [task('1', 'Write', 'completed')] }
    const tasks = [{ id: '1', subject: 'Write', status: 'completed', blockedBy: [] }]
    expect(meant('TaskList', {}, '#1 [completed] Write', { tasks })).toEqual(listed)
    expect(meant('TaskList', {}, '#1 [completed] Write')).toEqual(listed)
  })
})

describe('a search of the web', () => {
  const links = [{ title: 'A', url: 'https://a.example' }]
  const told = 'Web search results for query: "x"\n\nLinks: [{"title":"A","url":"https://a.example"}]\n\nA is good.'

  test('has the pages that were found, and what was said of them', () => {
    const meaning = { kind: 'web-search', query: 'x', links, said: expect.stringContaining('A is good.') }
    expect(meant('WebSearch', { query: 'x' }, told)).toEqual(meaning)
    expect(meant('WebSearch', { query: 'x' }, told)).not.toMatchObject({ said: expect.stringContaining('Links:') })
  })

  test('has the pages that the client noted, where the text has none', () => {
    const noted = { query: 'x', results: ['A is good.', { tool_use_id: 's', content: links }], durationSeconds: 1 }
    expect(meant('WebSearch', { query: 'x' }, 'nothing', noted)).toMatchObject({ links })
  })
})

describe('what a call changed', () => {
  const never = () => {
    throw new Error('nothing is to be compared')
  }
  const hunk = { oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: ['-a', '+b', '+c'] }

  test('is its patch', () => {
    const edit = { file_path: '/a', old_string: 'a', new_string: 'b\nc' }
    const call = answered('Edit', edit, 'Done.', { filePath: '/a', structuredPatch: [hunk] })
    const diff = { hunks: [hunk], isNumbered: true, added: 2, removed: 1 }
    expect(diffOf(meaningOf(call), call.patch, never)).toEqual(diff)
  })

  test('is what was replaced, where there is no patch', () => {
    const compare = (before: string, after: string) => [{ ...hunk, lines: [`-${before}`, `+${after}`] }]
    const edits = asked('MultiEdit', { edits: [{ old_string: 'a\n', new_string: 'b\n' }, { old_string: 'c\n' }] })
    expect(diffOf(edits, null, compare)).toMatchObject({ isNumbered: false, added: 2, removed: 2 })
    expect(diffOf(asked('Write', { content: 'a\n' }), null, compare)).toMatchObject({ isNumbered: true, added: 1 })
  })

  test('is nothing for a call that changes no file', () => {
    expect(diffOf(asked('Bash', { command: 'ls' }), null, never)).toBeUndefined()
  })
})

test.each<[string, JsonObject, string, string]>([
  ['Bash', { command: 'ls\npwd' }, 'bash', 'ls\npwd'],
  ['Read', { file_path: '/p/a.ts', offset: 9 }, 'read', 'a.ts from line 9'],
  ['Grep', { pattern: 'x', path: '/p/src' }, 'grep', 'x in src'],
  ['TodoWrite', { todos: [{ status: 'completed' }, {}] }, 'todo', '1 of 2 done'],
  ['TaskUpdate', { taskId: '3', status: 'in_progress', subject: 'Test' }, 'task', '#3 in progress Test'],
  ['TaskUpdate', { taskId: '3', owner: 'a' }, 'task', '#3 changed'],
  ['ExitPlanMode', { plan: '\n## Rate limits\nmore' }, 'plan', 'Rate limits'],
  ['AskUserQuestion', { questions: [{ question: 'A?' }, { question: 'B?' }] }, 'ask', 'A? / B?'],
  ['mcp__tracker__find', { words: 'login' }, 'mcp', 'login'],
  ['Novel', { path: '/p/a.ts' }, 'Novel', 'a.ts'],
])('words for %s %j', (name, input, verb, what) => {
  expect(toolWords(name, asked(name, input), (path) => path.replace('/p/', ''))).toMatchObject({ verb, what })
})
