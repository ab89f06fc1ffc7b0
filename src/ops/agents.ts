import { type Static, Type } from '../core/schema.ts'
import type { Context } from '../history/context.ts'
import { linkedAgents } from '../history/family.ts'
import { findSession } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { familyEntries } from '../history/open.ts'
import { type ScopeInput, sessionsInScope } from '../history/scope.ts'
import { limitInput, scopeInput } from '../history/shapes.ts'
import { agentCosts } from '../history/usage/family-costs.ts'
import { AgentItem, agentItem } from '../history/view/agent-item.ts'
import { defineOp } from './op.ts'

export const agents = defineOp({
  name: 'agents',
  group: 'Read',
  teamStore: 'read',
  summary: 'List subagents: what each was asked and what it did.',
  examples: ['annals agents last', 'annals agents --failed --sort cost', 'annals agents agent-a1b2'],
  input: Type.Object({
    session: Type.Optional(Type.String('Only this session, or this agent (default: all)')),
    ...scopeInput,
    ...limitInput,
    failed: Type.Optional(Type.Boolean('Only those that failed')),
    sort: Type.Optional(
      Type.Choice(['time', 'cost', 'size'], 'Newest first (default), the most expensive, or the largest'),
    ),
    all: Type.Optional(Type.Boolean('Also warmups, which Claude Code starts for itself')),
  }),
  positional: ['session'],
  result: Type.Object({
    items: Type.Array(AgentItem),
    total: Type.Integer(),
    hidden: Type.Record(Type.Integer()),
  }),
  async run(context, input) {
    const hidden: Record<string, number> = {}
    const items = (await collect(context, input)).filter((agent) => {
      if (input.failed && !agent.failedAt) return false
      if (input.all || agent.class !== 'warmup') return true
      hidden.warmup = (hidden.warmup ?? 0) + 1
      return false
    })
    const { sort } = input
    items.sort((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? 1 : -1))
    if (sort === 'cost') items.sort((a, b) => (b.costUsd ?? -1) - (a.costUsd ?? -1))
    if (sort === 'size') items.sort((a, b) => b.sizeBytes - a.sizeBytes)
    return { items: items.slice(0, input.limit), total: items.length, hidden }
  },
})

/** Session by session: what the card of an agent is made of is not kept for all of them at once. */
async function collect(
  context: Context,
  input: ScopeInput & { readonly session?: string },
): Promise<Static<typeof AgentItem>[]> {
  const only = input.session === undefined ? undefined : await findSession(context, input.session)
  const library = only?.library ?? context.library
  const sessions = only ? [only.files] : await sessionsInScope(context, input)
  const costOf = await agentCosts({ ...context, library })
  const total = sessions.reduce((sum, { log }) => sum + (log?.sizeBytes ?? 0), 0)
  let done = 0
  await historyOf({ ...context, library }).fetchLogs(sessions.flatMap(familyEntries))
  return sessions.flatMap((files) => {
    done += files.log?.sizeBytes ?? 0
    context.progress(done, total)
    const family = linkedAgents(library, files)
    const named = only?.agent ? family.filter(({ id }) => id === only.agent?.id) : family
    return named.map((agent) => agentItem(agent, costOf(agent)))
  })
}
