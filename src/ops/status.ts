import { Type } from '../core/schema.ts'
import { familyBytes, type SessionFiles } from '../disk/inventory.ts'
import { readLiveSessions } from '../disk/live.ts'
import { readRetention } from '../disk/retention.ts'
import { expiringOf } from '../history/expiring.ts'
import { newestFirst } from '../history/find.ts'
import { listConversations, sessionItems } from '../history/list.ts'
import { limitInput, NullableString } from '../history/shapes.ts'
import { SessionItem } from '../history/view/session-item.ts'
import { defineOp } from './op.ts'

export const status = defineOp({
  name: 'status',
  alsoIn: 'Look after',
  summary: 'Show how much there is, what runs now and what expires soon.',
  examples: ['annals status', 'annals status --root ~/.claude-work', 'annals status --json'],
  input: Type.Object(limitInput),
  positional: [],
  result: Type.Object({
    roots: Type.Array(
      Type.Object({
        path: Type.String(),
        projects: Type.Integer(),
        sessions: Type.Integer('Conversations, as `sessions` lists them'),
        hidden: Type.Integer('Logs that hold no conversation: `sessions --all` lists them'),
        agents: Type.Integer(),
        sizeBytes: Type.Integer(),
        retentionDays: Type.Integer(),
        retentionSetIn: NullableString,
      }),
    ),
    live: Type.Array(
      Type.Object({
        pid: Type.Integer(),
        session: NullableString,
        cwd: NullableString,
        status: NullableString,
        since: NullableString,
      }),
    ),
    expiring: Type.Array(SessionItem),
    expiringTotal: Type.Integer('How many expire soon before --limit'),
    newest: Type.Array(SessionItem),
    total: Type.Integer('Sessions in all roots'),
  }),
  isTrouble: () => false,
  // Whoever has run for years without `keep` has hundreds that expire.
  forPeople: () => ({ limit: NEWEST }),
  async run(context, { limit }) {
    const { library, now } = context
    const all = (await listConversations(context)).toSorted(newestFirst)
    const newest = all.slice(0, limit ?? NEWEST).map(({ files }) => files)
    const due = expiringOf(all, now)
    const expiring = due.slice(0, limit).map(({ files }) => files)
    const items = new Map(
      (await sessionItems(context, [...new Set([...newest, ...expiring])])).map((item) => [item.file, item]),
    )
    const itemsOf = (some: readonly SessionFiles[]) => some.flatMap(({ log }) => items.get(log?.path ?? null) ?? [])
    return {
      roots: library.roots.map((root) => {
        const projects = library.projects().filter((project) => project.root === root)
        const sessions = projects.flatMap((project) => project.sessions)
        const flat = projects.flatMap((project) => project.flatAgents)
        const retention = readRetention(root)
        const listed = all.filter(({ files }) => files.root === root).length
        return {
          path: root,
          projects: projects.length,
          sessions: listed,
          hidden: sessions.filter((session) => session.log).length - listed,
          agents: flat.length + sessions.reduce((sum, session) => sum + session.agents.length, 0),
          sizeBytes:
            sessions.reduce((sum, session) => sum + familyBytes(session), 0) +
            flat.reduce((sum, agent) => sum + (agent.log?.sizeBytes ?? 0), 0),
          retentionDays: retention.days,
          retentionSetIn: retention.setIn,
        }
      }),
      live: library.roots.flatMap((root) =>
        readLiveSessions(root)
          .items.filter((item) => item.alive)
          .map(({ pid, sessionId, cwd, status: state, startedAt }) => ({
            pid,
            session: sessionId,
            cwd,
            status: state,
            since: startedAt,
          })),
      ),
      expiring: itemsOf(expiring),
      expiringTotal: due.length,
      newest: itemsOf(newest),
      total: all.length,
    }
  },
})

const NEWEST = 5
