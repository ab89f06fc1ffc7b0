import type { FoundSession } from '../../history/find.ts'
import { sessionItem } from '../../history/list.ts'
import { openFound } from '../../history/open.ts'
import type { SessionItem } from '../../history/view/session-item.ts'
import type { Exporter, ExportFile, ExportJob } from '../exporter.ts'
import { masked } from '../masked.ts'
import { baseName } from '../names.ts'
import { estimateTokens } from './budget.ts'
import type { Group } from './model.ts'
import { sessionTurns } from './session.ts'
import { xmlAttributes, xmlText } from './text.ts'
import { fitBudget, writeParts } from './write.ts'

/** Sessions compressed for a model to read: several make one document. */
export const xml: Exporter = {
  extension: 'xml',
  async *session(session, job) {
    const read = await readSession(session, job)
    yield {
      name: `${baseName(read.item, job, session.agent?.id)}.xml`,
      content: document([read], job, { keepEmpty: true }),
    }
  },
  *table(sessions, job): Generator<ExportFile> {
    yield { name: 'sessions.xml', content: document(each(sessions, job), job, { keepEmpty: false }) }
  },
}

/** A session that was read to be written down. */
interface ReadSession {
  readonly item: SessionItem
  readonly turns: readonly Group[]
}

async function readSession(found: FoundSession, job: ExportJob): Promise<ReadSession> {
  const context = { ...job.context, library: found.library }
  const opened = await openFound(context, found)
  const item = await sessionItem(context, found.files)
  return { item: masked(job, item), turns: sessionTurns(opened, job) }
}

/** The oldest first, so that a budget takes from them first. */
async function* each(sessions: Iterable<FoundSession>, job: ExportJob): AsyncGenerator<ReadSession> {
  const oldest = [...sessions].sort((a, b) => (a.files.log?.modifiedAt ?? 0) - (b.files.log?.modifiedAt ?? 0))
  for (const session of oldest) yield await readSession(session, job)
}

const NOTE =
  'Sessions of Claude Code, compressed by annals. A cut element says how many characters are missing; one with same="t1" ' +
  'repeats the text with id="t1" of its part. Paths are relative to the folder of the session. What people asked, plans, ' +
  'errors and answers are whole.'

async function* document(
  sessions: Iterable<ReadSession> | AsyncIterable<ReadSession>,
  job: ExportJob,
  { keepEmpty }: { readonly keepEmpty: boolean },
): AsyncGenerator<string> {
  const { budget } = job.options
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<sessions>\n<note>${xmlText(NOTE)}</note>\n`
  yield head
  let empty = 0
  const read = budget === undefined ? sessions : fitted(await gathered(sessions), budget, head, job)
  for await (const one of read) {
    if (typeof one === 'string') yield one
    else if (one.turns.length > 0 || keepEmpty) yield* sessionText(one)
    else empty += 1
  }
  if (empty > 0) yield `<left-out sessions="${empty}">Nothing was said in them.</left-out>\n`
  yield '</sessions>\n'
}

async function gathered(sessions: Iterable<ReadSession> | AsyncIterable<ReadSession>): Promise<ReadSession[]> {
  const all: ReadSession[] = []
  for await (const one of sessions) all.push(one)
  return all
}

/** Sessions that fit into a budget together; a sentence before them where they cannot. */
function fitted(sessions: readonly ReadSession[], budget: number, head: string, { context }: ExportJob) {
  const frames = sessions.reduce((sum, { item }) => sum + Buffer.byteLength(opening(item)) + FRAME, 0)
  const taken = Buffer.byteLength(head) + frames
  const { tokens, fits } = fitBudget(
    sessions.map(({ turns }) => turns),
    Math.max(0, budget - estimateTokens(taken)),
  )
  if (fits) return sessions
  const all = tokens + estimateTokens(taken)
  const message = `What people asked, plans, errors and answers alone come to about ${all} tokens, more than the ${budget} that --budget allows.`
  context.warn({ file: sessions[0]?.item.file ?? '', message })
  return [`<note>${xmlText(message)}</note>\n`, ...sessions]
}

/** About the bytes of what closes a session and its document. */
const FRAME = 40

function* sessionText({ item, turns }: ReadSession): Generator<string> {
  yield opening(item)
  const parts = writeParts(turns)
  if (parts.length === 1) yield parts[0] as string
  else for (const [at, part] of parts.entries()) yield `<part n="${at + 1}" of="${parts.length}">\n${part}</part>\n`
  yield '</session>\n'
}

function opening({ id, title, project, gitBranch, version, createdAt, updatedAt, models }: SessionItem): string {
  const attributes = {
    id,
    title,
    folder: project.path,
    branch: gitBranch,
    client: version,
    from: createdAt?.slice(0, 19),
    to: updatedAt?.slice(0, 19),
    models: models?.join(' '),
  }
  return `<session${xmlAttributes(attributes)}>\n`
}
