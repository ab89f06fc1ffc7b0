import { Type } from '../core/schema.ts'
import { scopeInput } from '../history/shapes.ts'
import { listTodos, TodoListShape } from '../history/todos.ts'
import { defineOp } from './op.ts'

export const todos = defineOp({
  name: 'todos',
  alsoIn: 'Find',
  effort: 'long',
  teamStore: 'read',
  summary: 'List todos and tasks.',
  examples: ['annals todos', 'annals todos last', 'annals todos --json'],
  input: Type.Object({
    session: Type.Optional(Type.String('Only this session, or agent-<id>')),
    ...scopeInput,
    all: Type.Optional(Type.Boolean('Also show empty lists')),
  }),
  positional: ['session'],
  result: Type.Object({ items: Type.Array(TodoListShape), total: Type.Integer() }),
  async run(context, input) {
    const lists = await listTodos(context, input)
    const items = lists.filter(({ todos: found }) => input.all || found.length > 0)
    return { items, total: items.length }
  },
})
