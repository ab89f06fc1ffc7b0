import { type Static, Type } from '../../core/schema.ts'
import type { Agent } from '../family.ts'
import { NullableNumber, NullableString, nullable, placeFields, UsageShape } from '../shapes.ts'

/** An agent's card: what it was asked, did, returned, cost, and where it failed. */
export const AgentItem = Type.Object({
  id: Type.String(),
  session: Type.String(),
  file: Type.String(),
  class: Type.String('task, warmup, compact, suggestion, side-question, workflow or incomplete'),
  type: NullableString,
  description: NullableString,
  run: NullableString,
  call: nullable(Type.Object({ toolUseId: NullableString, ...placeFields })),
  parentAgent: NullableString,
  linkedBy: Type.Object({
    session: Type.String('folder or sessionId'),
    call: nullable(Type.String('meta, result, progress, prompt or time')),
  }),
  lines: Type.Integer(),
  sizeBytes: Type.Integer(),
  models: Type.Array(Type.String()),
  usage: UsageShape,
  costUsd: NullableNumber,
  toolUses: Type.Integer('Tool calls in its own log'),
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
