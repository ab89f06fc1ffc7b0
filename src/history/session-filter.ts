import type { Source, SourceEntry } from '../disk/source.ts'
import type { Context } from './context.ts'
import { listedSessions } from './families.ts'
import { historyOf } from './history.ts'
import type { ListedSession } from './list.ts'

/** What a session can be asked to have. */
export const FEATURES = ['error', 'plan', 'agent', 'image', 'compaction'] as const

export type Feature = (typeof FEATURES)[number]

/** A test for sessions that have all of some features. What lists do not know is looked up in the index, images in the logs. */
export async function hasAll(
  context: Context,
  features: readonly Feature[],
): Promise<(session: ListedSession) => boolean> {
  const tests: ((session: ListedSession) => boolean)[] = []
  for (const feature of new Set(features)) tests.push(await TESTS[feature](context))
  return (session) => tests.every((has) => has(session))
}

/** Nothing came of it: no response, or one prompt at most and no tool call. */
export function isTrivial({ counts, kind }: Pick<ListedSession, 'counts' | 'kind'>): boolean {
  if (kind !== 'conversation' || !counts) return false
  return counts.messages <= counts.prompts || (counts.prompts <= 1 && counts.toolCalls === 0)
}

type Has = (context: Context) => Promise<(session: ListedSession) => boolean>

const TESTS: Readonly<Record<Feature, Has>> = {
  agent: async () => (session) => (session.agents?.length ?? 0) > 0,
  compaction: async () => (session) => (session.compactions ?? 0) > 0,
  error: (context) => inLogs(context, failedIn),
  plan: (context) => inLogs(context, plannedIn),
  image: (context) =>
    inLogs(context, async ({ library }) => {
      await historyOf(context).fetchLogs(library.logs())
      return (log) => hasImage(library.source, log)
    }),
}

type LogTest = (context: Context) => Promise<(log: SourceEntry) => boolean>

/** A test for sessions of which any log, its own or an agent's, passes. */
async function inLogs(context: Context, testOf: LogTest): Promise<(session: ListedSession) => boolean> {
  const passes = await testOf(context)
  const logs = new Map(
    (await listedSessions(historyOf(context))).map(({ log, agents }) => [
      log?.path,
      [log, ...agents.map((agent) => agent.log)].flatMap((one) => one ?? []),
    ]),
  )
  return ({ file }) => file !== null && (logs.get(file)?.some(passes) ?? false)
}

async function failedIn(context: Context): Promise<(log: SourceEntry) => boolean> {
  const queries = await historyOf(context).refresh('calls', context.progress)
  const calls = await queries.calls.byLog()
  const refused = await queries.calls.rows({ kinds: ['api-error'] })
  return ({ path }) => refused.has(path) || (calls.get(path)?.some(({ answer }) => answer?.isError) ?? false)
}

async function plannedIn(context: Context): Promise<(log: SourceEntry) => boolean> {
  const queries = await historyOf(context).refresh('calls', context.progress)
  const calls = await queries.calls.byLog({ tools: ['ExitPlanMode'] })
  return ({ path }) => calls.has(path)
}

/** Inside a text quotes are escaped, so these bytes are always a block of the message or of a result. */
const IMAGE = Buffer.from('"type":"image"')
const CHUNK_BYTES = 1024 * 1024

function hasImage(source: Source, log: SourceEntry): boolean {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(log.sizeBytes, IMAGE.length)))
  for (let offset = 0; offset < log.sizeBytes; offset += chunk.length - IMAGE.length + 1) {
    const read = source.read(log, offset, chunk) ?? 0
    if (chunk.subarray(0, read).includes(IMAGE)) return true
    if (read < chunk.length) return false
  }
  return false
}
