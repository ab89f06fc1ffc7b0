import { type Static, Type } from '../../core/schema.ts'
import { NullableNumber, NullableString, nullable } from '../shapes.ts'

export const CountsShape = Type.Object({
  rows: Type.Integer('User and assistant rows that are not meta, interrupt or command rows'),
  prompts: Type.Integer('What a human asked'),
  messages: Type.Integer('Prompts and responses, streamed rows merged'),
  turns: Type.Integer(),
  toolCalls: Type.Integer(),
})

/** An agent as a line of its session. */
const AgentShape = Type.Object({
  id: Type.String(),
  class: Type.String(),
  type: NullableString,
  description: NullableString,
})

/** A session in a list. What only its log could tell is null where that is gone. */
export const SessionItem = Type.Object({
  id: Type.String(),
  root: Type.String(),
  file: NullableString,
  project: Type.Object({ key: Type.String(), path: NullableString }),
  title: NullableString,
  titleFrom: Type.Choice(['custom', 'ai', 'summary', 'prompt', 'none']),
  slug: NullableString,
  tags: Type.Array(Type.String(), 'What Claude Code tagged it with: one at most'),
  starred: Type.Boolean('By `annals star`'),
  note: nullable(Type.String('By `annals note`')),
  kind: Type.String('conversation, summary-only, snapshot-only, metadata-only, empty, unknown or gone'),
  status: Type.String('live, finished or unknown'),
  createdAt: NullableString,
  updatedAt: NullableString,
  activeMs: nullable(Type.Integer('How long was worked on it: from each prompt to the last row, pauses left out')),
  wallMs: nullable(Type.Integer('From its first row to its last')),
  sizeBytes: NullableNumber,
  lines: NullableNumber,
  counts: nullable(CountsShape),
  messageCount: nullable(Type.Integer('Prompts and responses; of a deleted log, what Claude Code noted')),
  branches: NullableNumber,
  compactions: NullableNumber,
  agents: nullable(Type.Array(AgentShape)),
  models: nullable(Type.Array(Type.String())),
  gitBranch: nullable(Type.String('The git branch it was on last')),
  gitBranches: Type.Array(Type.String(), 'All git branches it was on'),
  version: NullableString,
  forkedFrom: NullableString,
  continues: NullableString,
  continuedIn: NullableString,
  costUsd: NullableNumber,
  ownCostUsd: NullableNumber,
  unpriced: nullable(Type.Integer('Responses without a known price: they are in no cost')),
  inherited: nullable(
    Type.Object(
      { responses: Type.Integer(), costUsd: NullableNumber },
      'What its copied rows cost in the sessions they come from',
    ),
  ),
  expiresAt: NullableString,
  kept: Type.Boolean(),
  unreadable: nullable(Type.String('Why its log cannot be read now; what is told of it was known before')),
})

export type SessionItem = Static<typeof SessionItem>

/** Whether a list shows a session: a conversation, whether its log is on the disk or only in the archive. */
export function isListed({ kind, kept }: SessionItem): boolean {
  return kind === 'conversation' || (kind === 'gone' && kept)
}
