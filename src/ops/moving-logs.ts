import { type Library, logsOf } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'

/** The logs of all sessions that are being written, their agents' included. */
export function movingLogs(library: Library): ReadonlySet<SourceEntry> {
  const moving = new Set<SourceEntry>()
  const isMoving = (log: SourceEntry) => !library.isSettled(log)
  for (const project of library.projects()) {
    // Which session an agent beside the others belongs to, only its rows tell.
    const isWhole = project.flatAgents.some(({ log }) => log && isMoving(log))
    const families = project.sessions.map(({ log, agents }) => [log, ...agents.map((agent) => agent.log)])
    for (const family of isWhole ? [logsOf(project)] : families) {
      const logs = family.flatMap((log) => log ?? [])
      if (logs.some(isMoving)) for (const log of logs) moving.add(log)
    }
  }
  return moving
}
