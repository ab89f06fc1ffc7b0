import { Type } from '../core/schema.ts'
import { between } from '../core/usage/moment.ts'
import { newestFirst } from '../history/find.ts'
import { listSessions } from '../history/list.ts'
import { inScope } from '../history/scope.ts'
import { limitInput, scopeInput, timeInput } from '../history/shapes.ts'
import { isListed, SessionItem } from '../history/view/session-item.ts'
import { defineOp } from './op.ts'

export const sessions = defineOp({
  name: 'sessions',
  teamStore: 'copy',
  summary: 'List sessions, newest first.',
  examples: ['annals sessions', 'annals sessions --here --since 7d', 'annals sessions --full --json'],
  input: Type.Object({
    ...scopeInput,
    ...timeInput,
    ...limitInput,
    'git-branch': Type.Optional(Type.String('Only sessions that ended on this git branch')),
    starred: Type.Optional(Type.Boolean('Only sessions with a star')),
    tag: Type.Optional(Type.String('Only sessions with this tag')),
    all: Type.Optional(Type.Boolean('Also logs that hold no conversation, and sessions whose log is gone')),
    full: Type.Optional(Type.Boolean('Accepted, and changes nothing: all fields are always made')),
  }),
  positional: [],
  result: Type.Object({
    items: Type.Array(SessionItem),
    total: Type.Integer('How many there are before --limit'),
    hidden: Type.Record(Type.Integer(), 'How many were left out, by kind'),
  }),
  async run(context, input) {
    const fits = inScope(input, context.cwd)
    const inTime = between(input, context.now)
    const branch = input['git-branch']
    const items = (await listSessions(context))
      .filter((item) => fits(item.project) && inTime(item.updatedAt))
      .filter((item) => branch === undefined || item.gitBranch === branch)
      .filter((item) => (!input.starred || item.starred) && (!input.tag || item.tags.includes(input.tag)))
    const hidden: Record<string, number> = {}
    const shown = items.filter((item) => {
      if (input.all || isListed(item)) return true
      hidden[item.kind] = (hidden[item.kind] ?? 0) + 1
      return false
    })
    shown.sort(newestFirst)
    return { items: shown.slice(0, input.limit ?? shown.length), total: shown.length, hidden }
  },
})
