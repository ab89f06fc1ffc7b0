import { type LogFacts, readLogFacts, type StoredDoc } from '../../team/log-facts.ts'
import { spacedParts, spacedWords } from '../../team/spaced-words.ts'
import type { FactStore, ReadBack, UnreadFile } from '../fact-maker.ts'
import type { Connection } from './connect.ts'
import { logNumber } from './log-number.ts'
import { forgetLogs } from './purge.ts'
import type { Place } from './schema.ts'
import { clean } from './stored-row.ts'

/** A file to be read, with what the store knew of it, and whose its rows are. */
interface Unread extends UnreadFile {
  readonly reached: number
  readonly person: string
  readonly projects: readonly string[]
  readonly sessions: readonly string[]
  readonly lastAt: number
  readonly firstAt: number
  readonly knownGeneration: number | null
  readonly knownDocs: number
}

/** A ClickHouse that is told what is in the files that it has. */
export function clickhouseFacts(store: Connection, place: Place): FactStore<Unread> {
  let gathered = nothing()
  const flush = async () => {
    const all = gathered
    gathered = nothing()
    await putGathered(store, place, all)
  }
  return {
    async unread(machine) {
      const found = await store.ask(UNREAD, { machine })
      return found.map((one): Unread => {
        const words = (key: string) => (one[key] === '' ? null : String(one[key]))
        return {
          file: String(one.file),
          generation: Number(one.generation),
          project: words('project'),
          session: words('session'),
          agent: words('agent'),
          reached: Number(one.reached),
          person: String(one.person),
          projects: one.projects as string[],
          sessions: one.sessions as string[],
          firstAt: Number(one.first_at),
          lastAt: Number(one.last_at),
          knownGeneration: one.is_known === 1 ? Number(one.known_generation) : null,
          knownDocs: Number(one.known_docs),
        }
      })
    },
    async records(machine, { file, generation }, after, most) {
      const found = await store.ask(
        `select offset, type, content from record final where machine = {machine:String} and file = {file:String}
          and generation = {generation:UInt32} and toInt64(offset) > {after:Int64} order by offset limit {most:UInt32}`,
        { machine, file, generation, after, most },
      )
      return found.map(({ offset, type, content }) => ({
        offset: Number(offset),
        type: String(type),
        content: Buffer.from(String(content)),
      }))
    },
    async put(machine, unread, copy) {
      await gather(store, place, gathered, machine, unread, copy)
      if (gathered.logs.length >= MOST_LOGS || gathered.bytes > MOST_BYTES) await flush()
    },
    flush,
  }
}

/** The newest generation of each file of a machine, where its rows go further than what is known of it. */
const UNREAD = `
select s.file as file, s.generation as generation, m.reached as reached, s.project as project, s.session as session, s.agent as agent,
  s.person as person, s.projects as projects, s.sessions as sessions, s.first_at as first_at, s.last_at as last_at,
  l.is_known as is_known, l.generation as known_generation, l.docs as known_docs
from (
  select file, generation, min(project) as project, min(person) as person, groupUniqArray(project) as projects,
    groupUniqArray(session) as sessions, if(length(sessions) = 1, sessions[1], '') as session,
    if(uniqExact(agent) = 1, min(agent), '') as agent, toUnixTimestamp64Milli(min(first_at)) as first_at,
    toUnixTimestamp64Milli(max(last_at)) as last_at
  from session where machine = {machine:String} group by file, generation order by generation desc limit 1 by file
) s
join (
  select file, generation, max(offset) as reached from mark where machine = {machine:String} group by file, generation
) m on m.file = s.file and m.generation = s.generation
left join (
  select file, generation, reached, docs, 1 as is_known from log final where machine = {machine:String}
) l on l.file = s.file
where l.is_known = 0 or l.generation != s.generation or l.reached != m.reached
order by last_at desc limit 1000`

/** Facts that go together: a server likes few large inserts. */
interface Gathered {
  readonly held: object[]
  readonly keys: object[]
  readonly docs: object[]
  readonly logs: { readonly row: object; readonly id: number; readonly machine: string; readonly unread: Unread }[]
  readonly messages: Set<string>
  bytes: number
}

const MOST_BYTES = 16 * 1024 * 1024
const MOST_LOGS = 500

function nothing(): Gathered {
  return { held: [], keys: [], docs: [], logs: [], messages: new Set(), bytes: 0 }
}

/** What is in a file, as rows. Docs of a long one may go before the rest. */
async function gather(
  store: Connection,
  place: Place,
  into: Gathered,
  machine: string,
  unread: Unread,
  copy: ReadBack,
): Promise<void> {
  const id = logNumber(machine, unread.file)
  const more = { person: unread.person, projects: unread.projects, made_at: Date.now() }
  const isAnew = unread.knownGeneration !== null && unread.knownGeneration !== unread.generation
  if (isAnew) await forgetLogs(store, place, [id])
  const known = isAnew ? 0 : unread.knownDocs
  let facts: LogFacts | undefined
  let docs = 0
  const takeFacts = async (read: LogFacts) => {
    facts = read
    const { person, projects } = more
    for (const row of read.responses) {
      into.held.push({ ...row, log: id, request: row.request ?? '', geo: row.geo ?? '', ...more })
      into.messages.add(String(row.message))
    }
    for (const key of new Set(read.keys)) into.keys.push({ key, log: id, person, projects })
  }
  if (copy.log) {
    await readLogFacts(copy.log, takeFacts, async (some) => {
      for (const doc of some) {
        docs += 1
        // A record says always the same: those that are there stay as they are.
        if (doc.number < known) continue
        into.docs.push({ log: id, ...docRow(doc), ...more })
        into.bytes += doc.text.length + doc.parts.length
      }
      if (into.bytes > MOST_BYTES) await putDocs(store, into)
    })
  }
  into.logs.push({ row: { id, machine, docs, ...more, ...logRow(unread, copy, facts) }, id, machine, unread })
}

async function putDocs(store: Connection, into: Gathered): Promise<void> {
  await store.insert('doc', into.docs.splice(0))
  into.bytes = 0
}

/** Rows of logs first, and then that they are there. */
async function putGathered(store: Connection, place: Place, all: Gathered): Promise<void> {
  if (all.logs.length === 0) return
  await store.insert('held', all.held)
  await store.insert('row_key', all.keys)
  await putDocs(store, all)
  await putShared(store, [...all.messages])
  await store.insert(
    'log',
    all.logs.map(({ row }) => row),
  )
  await forgetPurged(store, place, all.logs)
}

/** Whoever comes second sees the first: both have put theirs before they look. */
async function putShared(store: Connection, messages: readonly string[]): Promise<void> {
  if (messages.length === 0) return
  const found = await store.ask(
    'select message from holder where message in {messages:Array(String)} group by message having uniqExact(log) > 1',
    { messages },
  )
  await store.insert('shared', [...found])
}

/** A purge that came while files were read has not seen what was made of them. */
async function forgetPurged(store: Connection, place: Place, logs: Gathered['logs']): Promise<void> {
  const found = await store.ask(
    `select distinct machine, file, generation, session from session
      where machine in {machines:Array(String)} and file in {files:Array(String)}`,
    { machines: [...new Set(logs.map(({ machine }) => machine))], files: logs.map(({ unread }) => unread.file) },
  )
  const keyOf = (...parts: readonly unknown[]) => JSON.stringify(parts.map(String))
  const there = new Set(
    found.map(({ machine, file, generation, session }) => keyOf(machine, file, generation, session)),
  )
  const isPurged = ({ machine, unread: { file, generation, sessions } }: Gathered['logs'][number]) =>
    sessions.some((session) => !there.has(keyOf(machine, file, generation, session)))
  await forgetLogs(
    store,
    place,
    logs.filter(isPurged).map(({ id }) => id),
  )
}

function logRow(unread: Unread, { place, bytes, offsets }: ReadBack, facts: LogFacts | undefined): object {
  const { file, generation, reached, firstAt, lastAt } = unread
  return {
    file,
    generation,
    reached,
    place: clean(place),
    bytes,
    records: offsets.length / 2,
    first_at: firstAt,
    last_at: lastAt,
    offsets,
    has_facts: facts !== undefined,
    facts: facts ? clean(JSON.stringify(facts.facts)) : '',
    turns: facts ? clean(JSON.stringify(facts.turns)) : '',
    calls: facts ? clean(JSON.stringify(facts.calls)) : '',
    tree: facts ? Buffer.from(facts.tree).toString('base64') : '',
  }
}

function docRow({ text, parts, isError, tool, model, branch, target, ...doc }: StoredDoc): object {
  return {
    ...doc,
    words: clean(spacedWords(text)),
    parts: clean(spacedParts(parts)),
    tool: clean(tool),
    model: clean(model),
    branch: clean(branch),
    target: clean(target),
    is_error: isError,
  }
}
