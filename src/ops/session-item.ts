import { type Static, Type } from 'typebox'
import { numberOf } from '../core/version.ts'
import type { AgentLine } from '../disk/agent-lines.ts'
import { projectPath } from '../disk/library.ts'
import { readLiveSessions } from '../disk/live.ts'
import { expiresAt, readRetention } from '../disk/retention.ts'
import type { SessionFacts } from '../disk/session.ts'
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

/** A session in a list. Fields that need the whole log are null where only its head and tail were read. */
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
  createdAt: nullable(Type.String({ description: "Its first record; a fork's first own row" })),
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
  forkedFrom: nullable(Type.String({ description: 'The session that it was forked from, marked or not' })),
  continues: NullableString,
  continuedIn: NullableString,
  costUsd: NullableNumber,
  ownCostUsd: NullableNumber,
  inherited: nullable(
    Type.Object(
      { responses: Type.Integer(), costUsd: NullableNumber },
      { description: 'What its copied rows cost in the session they come from; no part of costUsd' },
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

/** What more than one log must tell about a session. */
export interface Relations {
  readonly agents: readonly AgentLine[] | null
  readonly continues: string | null
  readonly continuedIn: string | null
}

/** Makes list items of sessions; knows for each root what is live and when logs are swept. */
export function sessionItems(context: Context): (facts: SessionFacts, relations: Relations) => SessionItem {
  const rootFacts = new Map(context.library.roots.map((root) => [root, aboutRoot(context, root)]))
  return (facts, relations) => {
    const { files, whole } = facts
    const about = rootFacts.get(files.root)
    const { log } = files
    return {
      id: files.id,
      root: files.root,
      file: log?.path ?? null,
      project: {
        key: files.project.key,
        path: projectPath(files.project.key, [facts.facts.cwd, facts.facts.relocatedCwd]),
      },
      title: facts.title,
      titleFrom: facts.titleFrom,
      slug: facts.facts.slug,
      kind: log?.gone && facts.kind === 'conversation' ? 'gone' : facts.kind,
      status: about?.live.has(files.id) ? 'live' : isUncertain(facts, context.now) ? 'unknown' : 'finished',
      createdAt: facts.createdAt,
      updatedAt: facts.updatedAt,
      sizeBytes: log?.sizeBytes ?? null,
      lines: whole?.lines ?? null,
      counts: whole ? { ...whole.counts } : null,
      branches: whole?.branches ?? null,
      compactions: whole?.compactions ?? null,
      agents: relations.agents?.filter((agent) => agent.class !== 'warmup').map((agent) => ({ ...agent })) ?? null,
      models: whole ? [...whole.models] : null,
      gitBranch: facts.facts.gitBranch,
      version: facts.facts.version,
      forkedFrom: facts.facts.forkedFrom,
      continues: relations.continues,
      continuedIn: facts.facts.continuedIn ?? relations.continuedIn,
      costUsd: null,
      ownCostUsd: null,
      inherited: null,
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
function isUncertain({ files, facts }: SessionFacts, now: Date): boolean {
  const age = now.getTime() - (files.log?.modifiedAt ?? 0)
  const { version } = facts
  return age < QUIET_MS && (version === null || numberOf(version) < numberOf('2.1.181'))
}
