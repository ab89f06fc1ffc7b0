import { type Static, Type } from 'typebox'
import { type Agent, linkedAgents } from '../disk/family.ts'
import { findSession } from '../history/find.ts'
import { type Context, defineOp } from './op.ts'
import { sessionsInScope } from './scope.ts'
import { NullableNumber, NullableString, nullable, placeFields, scopeInput, UsageShape } from './shapes.ts'
import { agentCosts } from './usage-costs.ts'

/** An agent's card: what it was asked, did, returned, cost, and where it failed. */
export const AgentItem = Type.Object({
  id: Type.String(),
  session: Type.String(),
  file: Type.String(),
  class: Type.String({ description: 'task, warmup, compact, suggestion, side-question, workflow or incomplete' }),
  type: NullableString,
  description: NullableString,
  run: NullableString,
  call: nullable(Type.Object({ toolUseId: Type.String(), ...placeFields })),
  parentAgent: NullableString,
  linkedBy: Type.Object({
    session: Type.String({ description: 'folder or sessionId' }),
    call: nullable(Type.String({ description: 'meta, result, progress, prompt or time' })),
  }),
  lines: Type.Integer(),
  sizeBytes: Type.Integer(),
  models: Type.Array(Type.String()),
  usage: UsageShape,
  costUsd: NullableNumber,
  toolUses: Type.Integer({ description: 'Tool calls in its own log' }),
  startedAt: NullableString,
  endedAt: NullableString,
  reported: Type.Object({
    status: NullableString,
    durationMs: NullableNumber,
    tokens: NullableNumber,
    toolUses: NullableNumber,
  }),
  prompt: NullableString,
  result: NullableString,
  failedAt: nullable(Type.Object({ reason: Type.String(), ...placeFields })),
})

export const agents = defineOp({
  name: 'agents',
  summary: 'List subagents: what each was asked, did, returned, and where it failed.',
  examples: ['annals agents last', 'annals agents --failed', 'annals agents agent-a1b2'],
  input: Type.Object({
    session: Type.Optional(Type.String({ description: 'Only this session, or this agent; else all' })),
    ...scopeInput,
    failed: Type.Optional(Type.Boolean({ description: 'Only those that failed' })),
    all: Type.Optional(Type.Boolean({ description: 'Also warmups, which the client started for itself' })),
  }),
  positional: ['session'],
  result: Type.Object({
    items: Type.Array(AgentItem),
    total: Type.Integer(),
    hidden: Type.Record(Type.String(), Type.Integer()),
  }),
  async run(context, input) {
    const { library, agents: found } = collect(context, input)
    const hidden: Record<string, number> = {}
    const items = found.filter((agent) => {
      if (input.failed && !agent.failedAt) return false
      if (input.all || agent.class !== 'warmup') return true
      hidden.warmup = (hidden.warmup ?? 0) + 1
      return false
    })
    items.sort((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? 1 : -1))
    const costOf = await agentCosts({ ...context, library })
    return { items: items.map((agent) => agentItem(agent, costOf(agent))), total: items.length, hidden }
  },
})

function collect(context: Context, input: Static<typeof agents.input>) {
  if (input.session !== undefined) {
    const { library, files, agent } = findSession(context, input.session)
    const family = linkedAgents(library, files)
    return { library, agents: agent ? family.filter(({ id }) => id === agent.id) : family }
  }
  const { library } = context
  const sessions = sessionsInScope(context, input)
  const total = sessions.reduce((sum, { log }) => sum + (log?.sizeBytes ?? 0), 0)
  let done = 0
  const found = sessions.flatMap((files) => {
    done += files.log?.sizeBytes ?? 0
    context.progress(done, total)
    return linkedAgents(library, files)
  })
  return { library, agents: found }
}

/** An agent as its card. */
export function agentItem(agent: Agent, costUsd: number | null): Static<typeof AgentItem> {
  const { status = null, durationMs = null, tokens = null, toolUses = null } = agent.reported ?? {}
  return {
    id: agent.id,
    session: agent.session,
    file: agent.entry.path,
    class: agent.class,
    type: agent.type,
    description: agent.description,
    run: agent.run,
    call: agent.call && { toolUseId: agent.call.toolUseId, ...agent.call.place },
    parentAgent: agent.parentAgent,
    linkedBy: { ...agent.linkedBy },
    lines:
      agent.nodes.length === agent.facts.facts.nodes.length ? (agent.facts.totals?.lines ?? 0) : agent.nodes.length,
    sizeBytes: agent.nodes.length === agent.facts.facts.nodes.length ? agent.entry.sizeBytes : bytesOf(agent),
    models: [...agent.models],
    usage: { ...agent.usage },
    costUsd,
    toolUses: new Set(agent.nodes.flatMap((node) => node.toolUses.map((use) => use.id))).size,
    startedAt: agent.startedAt,
    endedAt: agent.endedAt,
    reported: { status, durationMs, tokens, toolUses },
    prompt: agent.prompt,
    result: agent.result,
    failedAt: agent.failedAt && { ...agent.failedAt },
  }
}

/** Agents inside another log have no size but that of their rows. */
function bytesOf(agent: Agent): number {
  let sizeBytes = 0
  for (const node of agent.nodes) sizeBytes += node.length + 1
  return sizeBytes
}
