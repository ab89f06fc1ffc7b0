import { BEFORE_FIRST } from '../core/tree/tree.ts'
import { appendRows } from './append-rows.ts'
import type { EditedSession, Plan } from './plan.ts'

/** Lets a session go on from another row: an earlier one, or the end of another branch; `null` for before the first prompt. */
export function planRewind(session: EditedSession, leaf: string | null): Plan {
  const leafUuid = leaf ?? BEFORE_FIRST
  const where = leaf === null ? 'before the first prompt' : `after row ${leaf.slice(0, 8)}`
  return {
    name: 'rewind',
    summary: `continue ${where}`,
    sessions: [session],
    steps: [appendRows(session.log, [{ type: 'last-prompt', leafUuid, explicit: true, sessionId: session.id }])],
    expect: [
      `\`claude --resume ${session.id}\` continues ${where}. Nothing is deleted: the rows after it remain as a branch.`,
      'Clients before 2.1.250 may still continue from the last row: fork there instead.',
      'Files on the disk stay as they are: `annals edit restore-file` puts one back.',
    ],
    left: [],
  }
}
