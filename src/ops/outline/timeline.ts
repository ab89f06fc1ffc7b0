import { Type } from '../../core/schema.ts'
import { chosenBranch, leafUuid, openSession } from '../../history/open.ts'
import { NullableString } from '../../history/shapes.ts'
import { TimelineCall, TimelineTask, TimelineTurn, timelineOf } from '../../history/view/timeline.ts'
import { defineOp } from '../op.ts'

export const timeline = defineOp({
  name: 'timeline',
  lists: 'turns',
  effort: 'long',
  teamStore: 'read',
  summary: 'Show where the time of a session went.',
  examples: ['annals timeline last', 'annals show last --timeline', 'annals timeline 3f9a --json'],
  input: Type.Object({
    session: Type.String('An id or the start of one, last, current, a title, a log file or agent-<id>'),
    branch: Type.Optional(Type.String('A branch, by the start of its last uuid (default: the active one)')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    agent: NullableString,
    branch: NullableString,
    turns: Type.Array(TimelineTurn),
    calls: Type.Array(TimelineCall, { description: 'Every tool call, in order' }),
    tasks: Type.Array(TimelineTask, { description: 'Agents and commands in the background' }),
    toolMs: Type.Integer(),
    apiMs: Type.Integer('An estimate: what neither tools nor the person took'),
    waitMs: Type.Integer('Waiting for the person: between turns, for answers and for plans to be approved'),
  }),
  async run(opening, input) {
    const opened = await openSession(opening, input.session)
    const { tree, walk } = opened.conversation
    const branch = chosenBranch(tree, input.branch)
    const { turns, calls, tasks } = timelineOf(opened, walk(branch))
    const sum = (of: (turn: (typeof turns)[number]) => number) => turns.reduce((all, turn) => all + of(turn), 0)
    return {
      session: opened.files.id,
      agent: opened.agent?.id ?? null,
      branch: leafUuid(tree, branch),
      turns: [...turns],
      calls: [...calls],
      tasks: [...tasks],
      toolMs: sum(({ toolMs }) => toolMs),
      apiMs: sum(({ apiMs }) => apiMs),
      waitMs: sum(({ askMs, waitMs }) => askMs + (waitMs ?? 0)),
    }
  },
})
