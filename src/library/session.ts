import { Failure } from '../core/failure.ts'
import type { LogRecord } from '../core/log/record.ts'
import { streamRecords } from '../disk/log-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import { type ExportFormat, type ExportWishes, exportSessions } from '../export/export-sessions.ts'
import type { WrittenFile } from '../export/out.ts'
import type { Context } from '../history/context.ts'
import { type FoundSession, findSession } from '../history/find.ts'
import { logOf } from '../history/gone.ts'
import { historyOf } from '../history/history.ts'
import { keepSessions } from '../history/keep-sessions.ts'
import { type ListedSession, sessionItem } from '../history/list.ts'
import { openFound } from '../history/open.ts'
import { sessionUsage, spentBy } from '../history/usage/usage.ts'
import { familyLabels } from '../history/usage/usage-family.ts'
import { type Agent, toAgents } from './agent.ts'
import { type BilledCall, toBilledCall } from './billed-call.ts'
import { type Conversation, toConversation } from './conversation.ts'
import { type SessionEdits, sessionEdits } from './edits.ts'
import { type FollowEvent, type FollowOptions, followSession } from './follow.ts'
import type { SessionInfo } from './session-info.ts'

/** Where an export goes, and what is in it. */
export interface ExportOptions extends ExportWishes {
  /** A file, or a folder with `/` at its end; by default a file with a name of its own in the current folder. */
  readonly to?: string
}

/** What was taken of a session now: nothing where all of it was kept already. */
export interface Kept {
  readonly files: number
  readonly bytes: number
}

/** One session, or one agent of it where that was named. */
export interface Session extends SessionEdits {
  readonly id: string
  /** The agent that was named. */
  readonly agent: string | null
  readonly info: SessionInfo
  /** Reads the whole log. */
  open(): Promise<Conversation>
  agents(): Promise<readonly Agent[]>
  /** What it spent, call by call; with `agents` what its agents spent too. */
  usage(options?: { readonly agents?: boolean }): Promise<readonly BilledCall[]>
  /** Every record of its log as the client wrote it; with `agents` those of its agents' logs after them. */
  records(options?: { readonly agents?: boolean }): AsyncIterable<LogRecord>
  /** What is written from now on. */
  follow(options?: FollowOptions): AsyncIterable<FollowEvent>
  /** Writes it down, without its secrets unless they are asked for. */
  export(format: ExportFormat, options?: ExportOptions): Promise<readonly WrittenFile[]>
  /** Keeps it in the archive, before Claude Code deletes it. */
  keep(): Promise<Kept>
}

/** A session that was found by a name. */
export async function foundSession(context: Context, found: FoundSession): Promise<Session> {
  const info = await sessionItem({ ...context, library: found.library }, found.files)
  return makeSession(context, info, found.agent?.id ?? null, async () => found)
}

/** A session of a list. Its log is looked for when it is needed. */
export function listedSession(context: Context, info: ListedSession): Session {
  return makeSession(context, info, null, () => findSession(context, info.file ?? info.id))
}

function makeSession(context: Context, info: SessionInfo, agent: string | null, find: Find): Session {
  const asking = ({ library }: FoundSession) => ({ ...context, library, now: context.now })
  const read = async () => {
    const found = await find()
    const opened = await openFound(asking(found), found)
    return { opened, agents: toAgents(opened) }
  }
  return {
    ...sessionEdits(context, info.id),
    id: info.id,
    agent,
    info,
    open: async () => {
      const { opened, agents } = await read()
      return toConversation(opened.conversation, (id) => agents.find(({ call }) => call?.toolUseId === id) ?? null)
    },
    agents: async () => (await read()).agents,
    usage: async (options = {}) => {
      const found = await find()
      const history = historyOf(asking(found))
      const isMeant = await spentBy(history, found)
      const calls = (await sessionUsage(history, found.files)).filter(isMeant)
      const { turnOf } = await familyLabels((await history.refresh()).sessions, found.files)
      return calls
        .filter((one) => options.agents || agent !== null || !one.isAgent)
        .map((one) => toBilledCall(one, turnNumber(turnOf(one)?.key)))
    },
    records: (options) => recordsOf(context, find, options?.agents ?? false),
    follow: (options) => following(context, find, options),
    export: async (format, { to, ...wishes } = {}) => {
      const found = await find()
      return (await exportSessions(asking(found), [found], { ...wishes, to: format, out: to })).files
    },
    keep: async () => {
      const { taken, bytesRaw, damage } = await keepSessions(context, [info.file ?? info.id])
      const [first] = damage
      if (first) throw new Failure('CANNOT_WRITE', `${first.file}: ${first.message}`)
      return { files: taken.length, bytes: bytesRaw }
    },
  }
}

/** The number of a turn; on an abandoned branch the name of that stands behind it. */
function turnNumber(key: string | undefined): number | null {
  return key === undefined ? null : Number.parseInt(key, 10)
}

type Find = () => Promise<FoundSession>

async function* following(context: Context, find: Find, options?: FollowOptions): AsyncGenerator<FollowEvent> {
  yield* followSession(await logOf(context, await find()), options)
}

async function* recordsOf(context: Context, find: Find, withAgents: boolean): AsyncGenerator<LogRecord> {
  const found = await find()
  const { source } = found.library
  const agents = withAgents && !found.agent ? found.files.agents.flatMap(({ log }) => log ?? []) : []
  const logs: readonly SourceEntry[] = [await logOf(context, found), ...agents]
  for (const log of logs) yield* streamRecords(source, log)
}
