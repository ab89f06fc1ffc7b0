import { type Static, Type } from 'typebox'
import { numberOf } from '../core/version.ts'
import { readLiveSessions } from '../disk/live.ts'
import { expiresAt, readRetention } from '../disk/retention.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { SessionInfo } from '../history/info.ts'
import type { SessionCost } from '../history/session-costs.ts'
import type { Context } from './op.ts'
import { NullableNumber, NullableString, nullable } from './shapes.ts'

export const CountsShape = Type.Object({
  rows: Type.Integer({ description: 'User and assistant rows that are not meta, interrupt or command rows' }),
  prompts: Type.Integer({ description: 'What a human asked' }),
  messages: Type.Integer({ description: 'Prompts and responses, streamed rows merged' }),
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
  titleFrom: Type.Union([
    Type.Literal('custom'),
    Type.Literal('ai'),
    Type.Literal('summary'),
    Type.Literal('prompt'),
    Type.Literal('none'),
  ]),
  slug: NullableString,
  kind: Type.String({
    description: 'conversation, summary-only, snapshot-only, metadata-only, empty, unknown or gone',
  }),
  status: Type.String({ description: 'live, finished or unknown' }),
  createdAt: NullableString,
  updatedAt: NullableString,
  sizeBytes: NullableNumber,
  lines: NullableNumber,
  counts: nullable(CountsShape),
  branches: NullableNumber,
  compactions: NullableNumber,
  agents: nullable(Type.Array(AgentShape)),
  models: nullable(Type.Array(Type.String())),
  gitBranch: NullableString,
  version: NullableString,
  forkedFrom: NullableString,
  continues: NullableString,
  continuedIn: NullableString,
  costUsd: NullableNumber,
  ownCostUsd: NullableNumber,
  unpriced: nullable(Type.Integer({ description: 'Responses nobody knows the price of: they are in no cost' })),
  inherited: nullable(
    Type.Object(
      { responses: Type.Integer(), costUsd: NullableNumber },
      { description: 'What its copied rows cost in the sessions they come from' },
    ),
  ),
  expiresAt: NullableString,
  kept: Type.Boolean(),
})

export type SessionItem = Static<typeof SessionItem>

/** Whether a list shows a session: a conversation, whether its log is on the disk or only in the archive. */
export function isListed({ kind, kept }: SessionItem): boolean {
  return kind === 'conversation' || (kind === 'gone' && kept)
}

/** Makes list items of sessions; knows for each root what is live and when logs are swept. */
export function sessionItems(
  context: Context,
): (info: SessionInfo, log: SourceEntry | undefined, cost: SessionCost | undefined) => SessionItem {
  const rootFacts = new Map(context.library.roots.map((root) => [root, aboutRoot(context, root)]))
  return (info, log, cost) => {
    const about = rootFacts.get(info.root)
    const isGone = (log === undefined || log.gone === true) && info.kind === 'conversation'
    return {
      id: info.id,
      root: info.root,
      file: log?.path ?? null,
      project: { ...info.project },
      title: info.title,
      titleFrom: info.titleFrom,
      slug: info.slug,
      kind: isGone ? 'gone' : info.kind,
      status: about?.live.has(info.id) ? 'live' : isUncertain(info, log, context.now) ? 'unknown' : 'finished',
      createdAt: info.createdAt,
      updatedAt: info.updatedAt,
      sizeBytes: log?.sizeBytes ?? null,
      lines: info.lines,
      counts: { ...info.counts },
      branches: info.branches,
      compactions: info.compactions,
      agents: info.agents
        .filter((agent) => agent.class !== 'warmup')
        .map(({ id, class: kind, type, description }) => ({ id, class: kind, type, description })),
      models: [...info.models],
      gitBranch: info.gitBranch,
      version: info.version,
      forkedFrom: info.forkedFrom,
      continues: info.continues,
      continuedIn: info.continuedIn,
      costUsd: cost?.costUsd ?? null,
      ownCostUsd: cost?.ownCostUsd ?? null,
      unpriced: cost?.unpriced ?? null,
      inherited: cost ? { ...cost.inherited } : null,
      expiresAt: log && !log.gone && about ? expiresAt(log.modifiedAt, about.days) : null,
      kept: log?.kept ?? false,
    }
  }
}

function aboutRoot(context: Context, root: string) {
  const live = readLiveSessions(root)
  const retention = readRetention(root)
  for (const warning of [...live.warnings, ...retention.warnings]) context.warn(warning)
  const alive = live.items.flatMap((item) => (item.alive && item.sessionId ? [item.sessionId] : []))
  return { live: new Set(alive), days: retention.days }
}

/** How long after its last write a session may still be running without saying so. */
const QUIET_MS = 5 * 60_000

/** Clients before 2.1.181 do not register: one of theirs that wrote minutes ago may still be running. */
function isUncertain({ version }: SessionInfo, log: SourceEntry | undefined, now: Date): boolean {
  const age = now.getTime() - (log?.modifiedAt ?? 0)
  return age < QUIET_MS && (version === null || numberOf(version) < numberOf('2.1.181'))
}
