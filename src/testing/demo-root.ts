import { type JsonObject, objectAt, objectsAt, stringAt } from '../core/json.ts'
import { API, API_WORKTREE, healthEndpoint, planRateLimits, rateLimits, slowQuery } from './demo/api.ts'
import { releaseNotes, review, tokenLock, tokenRace } from './demo/api-recent.ts'
import { startsBefore } from './demo/clock.ts'
import { GARDEN, keyboard, overlap, pictures, stopped } from './demo/garden.ts'
import { NOTES, overloaded, READING_LIST, reading, weekly } from './demo/notes.ts'
import type { Log } from './log.ts'
import { type HistoryEntry, root } from './root.ts'

/** Days after which the demo's client sweeps a log: one more than the age of its oldest. */
const KEPT_DAYS = 36

/**
 * Writes the root of a made-up developer: three projects, one with a worktree, and fifteen sessions of the last five
 * weeks, each with something worth seeing. The same time gives the same bytes.
 */
export function writeDemoRoot(dir: string, now: Date): void {
  const start = startsBefore(now)
  const race = tokenRace(start)
  const reviewing = review(start)
  const sessions: readonly (readonly [Log, string])[] = [
    [healthEndpoint(start), API],
    [reading(start), NOTES],
    [slowQuery(start), API],
    [keyboard(start), GARDEN],
    [stopped(start), GARDEN],
    [planRateLimits(start), API],
    [rateLimits(start), API_WORKTREE],
    [overloaded(start), NOTES],
    [pictures(start), GARDEN],
    [race, API],
    [tokenLock(race, start), API],
    [overlap(start), GARDEN],
    [reviewing, API],
    [weekly(start), NOTES],
    [releaseNotes(start), API],
  ]
  root()
    .add(...sessions.map(([log]) => log))
    .history(sessions.flatMap(([log, project]) => typed(log, project)))
    .settings({ cleanupPeriodDays: KEPT_DAYS })
    .memory(API, {
      'MEMORY.md': '# Memory\n\n- [Tests](tests.md): how to run them\n',
      'tests.md': 'Run `npm test -- <name>` for one file. The database tests need `npm run db:up` first.\n',
    })
    .skill('release-notes', {
      description: 'Writes release notes that people like to read.',
      body: 'Say what changed for the reader. Three lines at most.',
    })
    .commandFile('review', {
      description: 'Reviews a branch.',
      body: 'Review the branch $ARGUMENTS: correctness first, then names, then tests.',
    })
    .agentFile('reviewer', { description: 'Reads changes with a critical eye.', body: 'You review code.' })
    .tasks(reviewing.sessionId, [
      { id: '1', subject: 'Deliver before removing', status: 'completed', blocks: ['2'] },
      { id: '2', subject: 'Test a crash in between', blockedBy: ['1'] },
    ])
    .write(dir)
}

/** What was typed in a session, as the prompt history has it. */
function typed(log: Log, project: string): readonly HistoryEntry[] {
  const { sessionId } = log
  return log.rows().flatMap((row): HistoryEntry[] => {
    const at = stringAt(row, 'timestamp')
    const text = row.forkedFrom === undefined ? typedText(row) : undefined
    if (at === undefined || text === undefined) return []
    const entry = { project, sessionId, at }
    if (!text.includes(READING_LIST)) return [{ ...entry, display: text }]
    return [{ ...entry, display: text.replace(READING_LIST, '').trim(), pasted: [READING_LIST] }]
  })
}

function typedText(row: JsonObject): string | undefined {
  const queued = objectAt(row, 'attachment')
  if (queued?.commandMode === 'prompt') return stringAt(queued, 'prompt')
  if (row.isMeta === true || row.isCompactSummary === true) return undefined
  const blocks = objectsAt(row.message, 'content')
  const images = blocks.filter((block) => block.type === 'image').map((_, index) => ` [Image #${index + 1}]`)
  const content = stringAt(row.message, 'content') ?? stringAt(row, 'content') ?? stringAt(blocks.at(0), 'text')
  if (content === undefined || (row.type !== 'user' && row.type !== 'system')) return undefined
  const name = /<command-name>(.*)<\/command-name>/.exec(content)?.[1]
  if (name !== undefined) return `${name} ${/<command-args>(.*)<\/command-args>/.exec(content)?.[1] ?? ''}`.trim()
  const bash = /^<bash-input>(.*)<\/bash-input>$/.exec(content)?.[1]
  if (bash !== undefined) return `!${bash}`
  const isOurs = row.type === 'system' || content.startsWith('<') || content.startsWith('[Request')
  return isOurs ? undefined : `${content}${images.join('')}`
}
