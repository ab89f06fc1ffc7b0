import { Type } from '../core/schema.ts'
import { familyBytes } from '../disk/inventory.ts'
import { readLiveSessions } from '../disk/live.ts'
import { readRetention } from '../disk/retention.ts'
import { expiringOf } from '../history/expiring.ts'
import { newestFirst } from '../history/find.ts'
import { listSessions } from '../history/list.ts'
import { NullableString } from '../history/shapes.ts'
import { isListed, SessionItem } from '../history/view/session-item.ts'
import { defineOp } from './op.ts'

export const status = defineOp({
  name: 'status',
  alsoIn: 'Look after',
  summary: 'Show how much there is, what runs now and what expires soon.',
  examples: ['annals status', 'annals status --root ~/.claude-work', 'annals status --json'],
  input: Type.Object({}),
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
    newest: Type.Array(SessionItem),
    total: Type.Integer('Sessions in all roots'),
  }),
  isTrouble: () => false,
  async run(context) {
    const { library, now } = context
    const items = (await listSessions(context)).filter(isListed)
    items.sort(newestFirst)
    return {
      roots: library.roots.map((root) => {
        const projects = library.projects().filter((project) => project.root === root)
        const sessions = projects.flatMap((project) => project.sessions)
        const flat = projects.flatMap((project) => project.flatAgents)
        const retention = readRetention(root)
        const listed = items.filter((item) => item.root === root).length
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
      expiring: [...expiringOf(items, now)],
      newest: items.slice(0, 5),
      total: items.length,
    }
  },
})
