import { Failure } from '../core/failure.ts'
import { SESSIONS_INDEX } from '../disk/layout.ts'
import { expiresAt, readRetention } from '../disk/retention.ts'
import { readSessionsIndex } from '../disk/sessions-index.ts'
import type { SourceEntry } from '../disk/source.ts'
import { familyKey } from '../index/queries/family-key.ts'
import { type SessionInfo, UNKNOWN_SESSION } from '../index/queries/session-info.ts'
import { keyOfFiles } from './families.ts'
import type { Asking, FoundSession } from './find.ts'
import { type HistoryOptions, historyOf } from './history.ts'
import { quickPrices } from './usage/price-book.ts'
import { priced, sumCosts } from './usage/spending.ts'

/** The log of what was found: the agent's own, else the session's. Fails with what is still known where that is gone. */
export async function logOf(context: Asking, { library, files, agent }: FoundSession): Promise<SourceEntry> {
  const log = agent?.log ?? files.log
  if (log) return log
  const queries = await historyOf({ ...context, library }).refresh()
  const info = (await queries.sessions.infos([files.id])).get(keyOfFiles(files))
  throw info
    ? await goneFailure({ ...context, library }, info)
    : new Failure('SESSION_NOT_FOUND', `The log of ${files.id} is gone.`)
}

/** Tells what became of the session that is meant where its log is gone; `undefined` where nobody knows of one. */
export async function goneSession(context: Asking, name: string): Promise<Failure | undefined> {
  const infos = await (await historyOf(context).refresh()).sessions.infos()
  const known = [...infos.values()].filter(({ state }) => state === 'lost')
  const gone = [...known, ...(await sweptSessions(context))]
  const wanted = name.toLowerCase()
  const matches = [
    gone.filter(({ id }) => id === name),
    gone.filter(({ id }) => id.startsWith(name)),
    gone.filter(({ slug, title }) => slug === name || title?.toLowerCase() === wanted),
  ].find((some) => some.length > 0)
  const [newest] = (matches ?? []).toSorted((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1))
  return newest && goneFailure(context, newest)
}

async function goneFailure(context: Asking, info: SessionInfo): Promise<Failure> {
  const { id, root, title, file, writtenAt, createdAt, updatedAt, counts, messageCount, agents } = info
  const { days } = readRetention(root)
  const isSwept = writtenAt !== null && expiresAt(writtenAt, days) < context.now.toISOString()
  const known = [
    createdAt && updatedAt && `from ${minute(createdAt)} to ${minute(updatedAt)}`,
    counts && plural(counts.turns, 'turn'),
    !counts && messageCount !== null && plural(messageCount, 'message'),
    agents.length > 0 && plural(agents.length, 'agent'),
    await costOfGone(context, info),
  ].filter((one) => one)
  const sentences = [
    `The log of ${id}${title ? ` ("${title}")` : ''} is gone, and was not kept.`,
    file && writtenAt !== null && `${file} was last written ${minute(new Date(writtenAt).toISOString())}.`,
    isSwept && `Claude Code deletes logs ${days} days after that.`,
    known.length > 0 && `Still known: ${known.join(', ')}.`,
  ]
  const isLeft = agents.some((agent) => agent.file !== null)
  const hint = isLeft
    ? `Its agents can still be read: annals agents ${id}`
    : '`annals keep` keeps what is still there; `annals keep --auto` does so from now on.'
  return new Failure('SESSION_NOT_FOUND', sentences.filter((one) => one).join(' '), { hint })
}

/** What it cost, by the prices that are at hand; `undefined` where nobody knows. */
async function costOfGone(context: Asking, { root, project, id }: SessionInfo): Promise<string | undefined> {
  const queries = await historyOf(context).refresh()
  const spent = priced(await queries.spending.bySession({ root, project: project.key, id }), quickPrices(context))
  const costUsd = spent.length === 0 ? null : sumCosts(spent)
  return costUsd === null ? undefined : `$${costUsd.toFixed(2)}`
}

/** A moment as people read it; `--json` of lists has it whole. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** Sessions that only a sessions-index.json still knows: their logs were swept before we saw them. */
export async function sweptSessions(context: HistoryOptions): Promise<readonly SessionInfo[]> {
  const history = historyOf(context)
  // Only old clients wrote one: without any, nothing is sorted into projects for that.
  if (!history.library.listed().some(({ path }) => path.endsWith(SESSIONS_INDEX))) return []
  const infos = await (await history.refresh()).sessions.infos()
  const known = new Set([...infos.values()].map(({ id }) => id))
  return history.library.projects().flatMap(({ root, key, dir, sessionsIndex }) => {
    if (!sessionsIndex) return []
    const { items, warnings } = readSessionsIndex(dir)
    for (const warning of warnings) context.warn(warning)
    return items
      .filter(({ sessionId }) => !known.has(sessionId))
      .map((entry) => ({
        ...UNKNOWN_SESSION,
        id: entry.sessionId,
        root,
        key: familyKey(root, key, entry.sessionId),
        project: { key, path: entry.projectPath },
        title: entry.summary ?? entry.firstPrompt,
        titleFrom: entry.summary ? 'summary' : entry.firstPrompt ? 'prompt' : 'none',
        createdAt: entry.createdAt,
        updatedAt: entry.modifiedAt,
        messageCount: entry.messageCount,
        gitBranch: entry.gitBranch,
        gitBranches: entry.gitBranch === null ? [] : [entry.gitBranch],
        version: null,
        agents: [],
      }))
  })
}
