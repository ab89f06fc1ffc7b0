import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, withFolder } from '../../tests/support/made-folder.ts'
import { readTodos } from './todos.ts'

test('reads the list of a session and of its agent', () => {
  const todo = { content: 'First', status: 'completed', activeForm: 'Doing first' }
  const files = {
    'todos/s1-agent-s1.json': JSON.stringify([todo]),
    'todos/s1-agent-a75b979.json': '[]',
    'todos/old.json': '[{"content":"Older","status":"pending","priority":"high","id":"1"}]',
  }
  withFolder(files, (root) => {
    const { items, warnings } = readTodos(filesOf(root))
    expect(items.map(({ source, session, agent }) => [source, session, agent])).toEqual([
      ['todos', 'old', null],
      ['todos', 's1', 'a75b979'],
      ['todos', 's1', null],
    ])
    expect(items[2]?.items).toEqual([{ id: null, text: 'First', status: 'completed' }])
    expect(items[0]?.items).toMatchObject([{ id: '1', text: 'Older', status: 'pending' }])
    expect(warnings).toEqual([])
  })
})

test('reads a task list in the order of its numbers and passes over the files of the lock', () => {
  const task = (id: string | number) => JSON.stringify({ id, subject: `Task ${id}`, status: 'pending' })
  const files = {
    'tasks/list/10.json': task(10),
    'tasks/list/2.json': task('2'),
    'tasks/list/.lock': '',
    'tasks/list/.highwatermark': '10',
  }
  withFolder(files, (root) => {
    const { items, warnings } = readTodos(filesOf(root))
    expect(items).toMatchObject([{ source: 'tasks', session: 'list', agent: null, file: join(root, 'tasks', 'list') }])
    expect(items[0]?.items.map(({ id, text }) => [id, text])).toEqual([
      ['2', 'Task 2'],
      ['10', 'Task 10'],
    ])
    expect(warnings).toEqual([])
  })
})

test.each([
  [{}, 0, 0],
  [{ todos: null, tasks: null }, 0, 0],
  [{ todos: 'x', tasks: 'x' }, 0, 0],
  [{ 'todos/a.json': null }, 0, 0],
  [{ 'todos/a.json': '' }, 0, 1],
  [{ 'todos/a.json': '{}' }, 1, 1],
  [{ 'todos/a.json': '[1,null,"x"]' }, 1, 0],
  [{ 'tasks/l/1.json': '[]', 'tasks/l/2.json': '{' }, 1, 2],
])('reads what it can of %j', (files, lists, warningCount) => {
  withFolder(files, (root) => {
    const found = readTodos(filesOf(root))
    expect(found.items).toHaveLength(lists)
    expect(found.items.flatMap((list) => list.items)).toEqual([])
    expect(found.warnings).toHaveLength(warningCount)
  })
})
