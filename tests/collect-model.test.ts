import fc from 'fast-check'
import { expect, test } from 'vitest'
import { relativePath } from '../src/collector/names.ts'
import type { TeamRow } from '../src/collector/row.ts'
import { type Mark, type Sink, SinkTrouble } from '../src/collector/sink.ts'
import type { Source } from '../src/disk/source.ts'
import { folderPlace } from './collector/folder-place.ts'
import { machine } from './collector/made-batches.ts'
import { ALL, collectorOf, FACTS, MemoryState } from './collector/made-collector.ts'
import { type Fault, MemorySink } from './collector/memory-sink.ts'
import { clickhousePlace, noClickHouse, startClickHouse } from './support/clickhouse.ts'

interface File {
  readonly inode: number
  bytes: Buffer
  modifiedAt: number
  /** Ids of all records that it was seen with since it was last rewritten: nothing of it may leave twice. */
  epoch: Set<string>
  /** Since all was last delivered. */
  isMoved: boolean
  isReplaced: boolean
}

type Action =
  | { readonly do: 'append' | 'half' | 'create'; readonly on: number; readonly size: number }
  | { readonly do: 'truncate' | 'rewrite' | 'replace' | 'make-anew'; readonly on: number; readonly share: number }
  | { readonly do: 'rename' | 'copy'; readonly on: number; readonly to: number }
  | { readonly do: 'delete' | 'recreate' | 'touch' | 'carry'; readonly on: number }
  | { readonly do: 'restart' | 'lose-state' | 'clone' }
  | { readonly do: 'kill'; readonly after: number; readonly isTaken: boolean }
  | { readonly do: 'fault'; readonly fault: Fault }
  | { readonly do: 'pass'; readonly batchRows: number }

type Change = Exclude<Action, { do: 'pass' | 'fault' | 'kill' | 'restart' | 'lose-state' | 'clone' }>

const SESSIONS = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-00000000000${n}`)
const PATHS = [
  `/r/projects/a/${SESSIONS[0]}.jsonl`,
  `/r/projects/a/${SESSIONS[1]}.jsonl`,
  `/r/projects/b/${SESSIONS[0]}.jsonl`,
  `/r/projects/b/${SESSIONS[2]}/subagents/agent-a1.jsonl`,
  '/r/history.jsonl',
  `/r/projects/b/${SESSIONS[1]}.jsonl`,
  `/r/projects/a/${SESSIONS[2]}/subagents/agent-a1.jsonl`,
]
const on = fc.nat(PATHS.length - 1)
const size = fc.oneof(fc.nat(40), fc.integer({ min: 900, max: 6000 }))
const share = fc.nat(100).map((percent) => percent / 100)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 7, arbitrary: fc.record({ do: fc.constantFrom('append', 'half', 'create'), on, size }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('truncate', 'rewrite', 'replace', 'make-anew'), on, share }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('rename', 'copy'), on, to: on }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete', 'recreate', 'touch', 'carry'), on }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restart', 'lose-state', 'clone') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fault'), fault: fc.constantFrom<Fault>('refuse', 'lose-answer') }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pass'), batchRows: fc.constantFrom(1, 3, 2000) }) },
)

const lives = fc.constantFrom(0, 1, 3)
/** What happens to sessions that exist once: they grow, are rewritten in place or as new files, and move between projects. */
const lifeOfSession: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('append', 'half', 'create'), on: lives, size }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('truncate', 'rewrite', 'replace', 'make-anew'), on: lives, share }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('carry', 'carry', 'carry', 'touch'), on: lives }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)
/** The collector dies while it delivers, before or after the sink has taken the batch; what it had not written down is lost. */
const kill = fc.record({ do: fc.constant('kill' as const), after: fc.nat(2), isTaken: fc.boolean() })
const passes = fc.record({ do: fc.constant('pass' as const), batchRows: fc.constantFrom(1, 3, 2000) })
const killedRounds = fc
  .array(
    fc
      .tuple(fc.array(lifeOfSession, { maxLength: 4 }), fc.option(kill, { nil: undefined }), passes)
      .map(([changes, death, next]): Action[] => [...changes, ...(death ? [death] : []), next]),
    { minLength: 1, maxLength: 12 },
  )
  .map((rounds) => rounds.flat())

const RUNS = Number(process.env.ANNALS_RUNS ?? 400)

test.each([
  ['with content and paths', ALL],
  ['with facts and hashes', FACTS],
] as const)(
  'whatever happens to logs, sink and memory, the sink has what the logs have, nothing lost and nothing doubled (T1, T4, T5, T7 to T16, T18, T22, T23), %s',
  async (_, choices) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), async (actions) => {
        const sink = new MemorySink()
        await live(actions, choices, { sink, rows: async () => [...sink.rows.values()] })
      }),
      { numRuns: RUNS },
    )
  },
)

test.each([
  ['with content and paths', ALL],
  ['with facts and hashes', FACTS],
] as const)(
  'a session that moves, is rewritten and whose collector is killed is in one file for who takes the newest generation, %s',
  async (_, choices) => {
    await fc.assert(
      fc.asyncProperty(killedRounds, async (actions) => {
        const sink = new MemorySink()
        await live(actions, choices, { sink, rows: async () => [...sink.rows.values()], isOnce: true })
      }),
      { numRuns: RUNS },
    )
  },
)

test('whatever happens, a folder has every response once, and each that was ever there while somebody looked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 30 }), async (actions) => {
      const { open, rows, remove } = await folderPlace()
      try {
        await live(actions, ALL, { sink: open(), rows })
      } finally {
        await remove()
      }
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
}, 300_000)

test.skipIf(noClickHouse !== undefined)(
  'whatever happens, a ClickHouse has every response once, and each that was ever there while somebody looked',
  async () => {
    const engine = await startClickHouse()
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 30 }), async (actions) => {
          const { open, rows, remove } = clickhousePlace(engine)
          const sink = open()
          try {
            await sink.open(machine())
            await live(actions, ALL, { sink, rows })
          } finally {
            await sink.close()
            await remove()
          }
        }),
        { numRuns: Math.ceil(RUNS / 20) },
      )
    } finally {
      await engine.stop()
    }
  },
  900_000,
)

interface Place {
  readonly sink: Sink
  readonly rows: () => Promise<readonly TeamRow[]>
  /** No record is in two logs: who takes the newest generation of each file must have each once. */
  readonly isOnce?: boolean
}

/** The end of a process. */
class Killed extends Error {}

/** All that happens to one machine, and to those that its home is cloned to. */
async function live(actions: readonly Action[], choices: typeof ALL, place: Place): Promise<void> {
  serial = 0
  const faults: Fault[] = []
  let batches = 0
  let death: { after: number; readonly isTaken: boolean } | undefined
  const sink: Sink = {
    open: (who) => place.sink.open(who),
    marks: (id) => place.sink.marks(id),
    async deliver(batch) {
      const fault = faults.shift()
      if (fault === 'refuse') throw new SinkTrouble('Not now.', { passes: true })
      if (death && death.after-- === 0) {
        if (death.isTaken) await place.sink.deliver(batch)
        death = undefined
        for (const world of worlds) world.die()
        throw new Killed()
      }
      batches += 1
      const done = await place.sink.deliver(batch)
      if (fault === 'lose-answer') throw new SinkTrouble('The connection was lost.', { passes: true })
      return done
    },
    close: () => place.sink.close(),
  }
  const worlds = [makeWorld(choices, { ...place, sink }, faults)]
  for (const [at, next] of actions.entries()) {
    const world = worlds[at % worlds.length] as World
    if (next.do === 'fault') faults.push(next.fault)
    else if (next.do === 'kill') death = { ...next }
    else if (next.do !== 'clone') await world.act(next)
    else if (worlds.length < 3) worlds.push(world.clone(machine(1 + worlds.length).id))
  }
  faults.length = 0
  death = undefined
  for (const world of worlds) {
    await world.act({ do: 'pass', batchRows: 2000 })
    const before = batches
    await world.act({ do: 'pass', batchRows: 2000 })
    expect(batches, 'a pass over what is delivered delivers nothing').toBe(before)
  }
  for (const world of worlds) await world.check()
}

type World = ReturnType<typeof makeWorld>

let serial = 0

/** A file system in memory, a collector on it, and what each line was when it was written. */
function makeWorld(
  choices: typeof ALL,
  place: Place,
  faults: readonly Fault[],
  id = machine().id,
  files = new Map<string, File>(),
  state = new MemoryState(),
) {
  const epochs = new Set<Set<string>>()
  /** Ids of responses that were there in some pass, in one that went well, and where they are no responses. */
  const seen = { ever: new Set<string>(), surely: new Set<string>(), asHistory: new Set<string>() }
  const nameAt = new Map(PATHS.map((path) => [path, namesFor(choices, path)]))
  let clock = 0
  let collector = newCollector()
  let isStarted = false
  let isDead = false

  function sourceOf(): Source {
    return {
      *list() {
        for (const [path, { bytes, modifiedAt, inode }] of files) {
          yield { root: '/r', path, sizeBytes: bytes.length, modifiedAt, inode: `1:${inode}` }
        }
      },
      read(entry, offset, into) {
        const file = files.get(entry.path)
        return file?.bytes.copy(into.subarray(0, 700), 0, Math.min(offset, file.bytes.length))
      },
    }
  }

  function newCollector(batchRows = 2000) {
    return collectorOf(sourceOf(), place.sink, {
      choices,
      id,
      // What is dead writes nothing.
      state: {
        read: (name) => state.read(name),
        write: (next) => void (isDead || state.write(next)),
        bury: (letters) => state.bury(letters),
      },
      // A process that is killed has not written down the batches of its last seconds.
      limits: { batchRows, saveMs: place.isOnce ? 5000 : 0 },
      attempts: 1,
      thorough: true,
      reading: { chunkBytes: 512 },
    })
  }

  function newFile(bytes: Buffer, inode?: number): File {
    const used = new Set(Array.from(files.values(), (file) => file.inode))
    let free = 1
    while (used.has(free)) free++
    return {
      inode: inode ?? free,
      bytes,
      modifiedAt: clock,
      epoch: new Set(),
      isMoved: false,
      isReplaced: false,
    }
  }

  async function act(next: Exclude<Action, { do: 'fault' | 'clone' | 'kill' }>): Promise<void> {
    clock += serial % 3 === 0 ? 3000 : 0
    if (next.do === 'pass') return pass(next.batchRows)
    if (next.do === 'restart' || next.do === 'lose-state') {
      if (next.do === 'lose-state') state = new MemoryState()
      isStarted = false
      return
    }
    if (next.do === 'create' && 'size' in next) {
      const path = PATHS[next.on] as string
      const isThere = place.isOnce ? files.has(path) || files.has(otherProject(path)) : files.has(path)
      if (!isThere) files.set(path, newFile(line(next.size)))
      return
    }
    const [path, file] = [...files][(next as { on: number }).on % files.size] ?? []
    if (path && file) change(next as Change, path, file)
  }

  function change(next: Change, path: string, file: File): void {
    const write = (...parts: Buffer[]) => {
      const before = file.bytes.subarray(0, file.bytes.lastIndexOf(0x0a) + 1)
      Object.assign(file, { bytes: Buffer.concat(parts), modifiedAt: clock })
      if (!file.bytes.subarray(0, before.length).equals(before)) file.epoch = new Set()
    }
    const front = 'share' in next ? Math.floor(file.bytes.length * next.share) : 0
    if (next.do === 'append') write(file.bytes, line(next.size))
    else if (next.do === 'half') write(file.bytes, line(next.size).subarray(0, 20 + next.size))
    else if (next.do === 'truncate') write(file.bytes.subarray(0, front))
    else if (next.do === 'rewrite') write(file.bytes.subarray(0, front), Buffer.from('\n'), line(front % 50))
    else if (next.do === 'make-anew') {
      write(file.bytes.subarray(0, front), line(front % 50))
      files.set(path, { ...file, inode: newFile(file.bytes).inode, isReplaced: true })
    } else if (next.do === 'carry') {
      const to = otherProject(path)
      if (!files.has(to)) change({ do: 'rename', on: next.on, to: PATHS.indexOf(to) }, path, file)
    } else if (next.do === 'replace') {
      const made = newFile(Buffer.concat([file.bytes, line(5)]))
      // Of one that was moved and copied before anybody looked, nothing is left to know it by.
      const { isMoved } = file
      files.set(path, { ...made, isMoved, isReplaced: true, epoch: isMoved ? made.epoch : file.epoch })
    } else if (next.do === 'touch') file.modifiedAt = clock
    else if (next.do === 'delete') files.delete(path)
    else if (next.do === 'recreate') {
      files.delete(path)
      files.set(path, newFile(line(30)))
    } else if (next.do === 'rename') {
      files.delete(path)
      files.set(PATHS[next.to] as string, file)
      file.isMoved = true
      if (file.isReplaced) file.epoch = new Set()
    } else if (next.do === 'copy') {
      const to = PATHS[next.to] as string
      if (to !== path) files.set(to, newFile(file.bytes, files.get(to)?.inode))
    }
  }

  async function pass(batchRows: number): Promise<void> {
    look('ever')
    const hadFault = faults.length > 0
    try {
      if (!isStarted) {
        collector = newCollector(batchRows)
        await collector.start()
        isStarted = true
      }
      await collector.pass()
    } catch (error) {
      if (error instanceof Killed) {
        isStarted = false
        isDead = false
        return
      }
      if (!hadFault) throw error
      return
    }
    look('surely')
    for (const file of files.values()) Object.assign(file, { isMoved: false, isReplaced: false })
    await check()
  }

  /** Notes what is there, as somebody who does not know our ways would. */
  function look(how: 'ever' | 'surely'): void {
    for (const [path, { bytes, epoch }] of files) {
      const text = bytes.toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1)
      epochs.add(epoch)
      for (const [, uuid] of text.matchAll(/"uuid":"([\w-]+)"/g)) epoch.add(uuid as string)
      const ids = [...text.matchAll(/"id":"(msg_\d+)"/g)].map(([, id]) => id as string)
      for (const one of ids) seen.ever.add(one)
      if (path.endsWith('history.jsonl')) for (const one of ids) seen.asHistory.add(one)
      if (how === 'surely') for (const raw of recordsOf(text)) seen.surely.add(raw.message.id)
    }
  }

  /** The log at a path, as a reader finds it: the rows under the key that was marked last. */
  function at(path: string, marks: readonly Mark[], rows: readonly TeamRow[]) {
    const here = marks.filter(({ cursor }) => cursor?.path === nameAt.get(path))
    const mark = here.sort((a, b) => (a.cursor?.modifiedAt ?? 0) - (b.cursor?.modifiedAt ?? 0)).at(-1)
    const own = rows.filter(({ file, generation }) => file === mark?.file && generation === mark.generation)
    return { mark, rows: own.sort((a, b) => a.offset - b.offset) }
  }

  async function check(): Promise<void> {
    const all = (await place.rows()).filter((row) => row.machine === id)
    const marks = await place.sink.marks(id)
    const keys = new Set<string>()
    for (const [path, { bytes }] of files) {
      const end = bytes.lastIndexOf(0x0a) + 1
      const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1)
      const expected: { line: number; uuid: string | null }[] = []
      for (const [at, text] of lines.entries()) {
        // A line that was cut and written on holds one record at its end, or none.
        const found = [...text.matchAll(/"uuid":"([\w-]+)"/g)]
        if (text.trim() !== '') expected.push({ line: at + 1, uuid: found.at(-1)?.[1] ?? null })
      }
      if (end === 0) continue
      const { mark, rows } = at(path, marks, all)
      expect(mark?.offset, `${relativePath({ root: '/r', path })} is delivered to its end`).toBe(lines.length * 2 ** 27)
      const newest = Math.max(...marks.filter(({ file }) => file === mark?.file).map(({ generation }) => generation))
      expect(mark?.generation, 'who takes the newest generation of each file has each log that is there').toBe(newest)
      expect(keys.has(mark?.file ?? ''), 'two logs never share a key').toBe(false)
      keys.add(mark?.file ?? '')
      const linesSeen = new Set(rows.map((row) => row.line))
      expect([...linesSeen], path).toEqual(expected.map((one) => one.line))
      for (const one of expected) {
        const whole = rows.filter((row) => row.line === one.line)
        if (whole.length === 1 && whole[0]?.type === 'assistant') expect(whole[0].uuid).toBe(one.uuid)
      }
      // The rows of a line are known by their number in it.
      for (const line of linesSeen) {
        const places = rows.filter((row) => row.line === line).map((row) => row.offset)
        expect(places).toEqual(places.map((_, number) => (line - 1) * 2 ** 27 + number))
      }
    }
    const counts = new Map<string, number>()
    for (const { uuid } of all) if (uuid !== null) counts.set(uuid, (counts.get(uuid) ?? 0) + 1)
    for (const [uuid, count] of counts) {
      const most = [...epochs].filter((epoch) => epoch.has(uuid)).length
      expect(count, 'a record leaves once for each time that its log was rewritten or copied').toBeLessThanOrEqual(most)
    }
    if (place.isOnce) {
      const found = newestOf(all).flatMap(({ uuid, file }) => (uuid === null ? [] : [`${uuid} ${file}`]))
      expect(found.length, found.join('\n')).toBe(new Set(found.map((one) => one.split(' ')[0])).size)
    }
    const used = usageOf(all)
    for (const [message, tokens] of used) {
      expect(seen.ever.has(message)).toBe(true)
      expect(tokens).toBe(tokensOf(message))
    }
    for (const one of seen.surely) if (!seen.asHistory.has(one)) expect(used.has(one), `${one} is counted`).toBe(true)
  }

  /** The same home on another machine: the same files and memory, and an id of its own. */
  function clone(other: string): ReturnType<typeof makeWorld> {
    const copies = new Map(Array.from(files, ([path, file]) => [path, { ...file, epoch: new Set<string>() }]))
    const memory = new MemoryState()
    memory.state = state.state
    return makeWorld(choices, place, faults, other, copies, memory)
  }

  function die(): void {
    isDead = true
  }

  return { act, check, clone, die }
}

function otherProject(path: string): string {
  return path.includes('/a/') ? path.replace('/a/', '/b/') : path.replace('/b/', '/a/')
}

/** A record whose ids say which one it is. */
function line(length: number): Buffer {
  const n = serial++
  const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const content = [{ type: 'text', text: 'x'.repeat(length) }]
  const usage = { input_tokens: 1, output_tokens: tokensOf(`msg_${n}`) }
  const message = { id: `msg_${n}`, role: 'assistant', model: 'claude-opus-5-5', usage, content }
  return Buffer.from(`${JSON.stringify({ type: 'assistant', uuid, cwd: '/home/ana', message })}\n`)
}

function tokensOf(message: string): number {
  return 1 + (Number(message.slice(4)) % 97)
}

function recordsOf(text: string): readonly { readonly message: { readonly id: string } }[] {
  return text.split('\n').flatMap((one) => {
    try {
      return [JSON.parse(one)]
    } catch {
      return []
    }
  })
}

/** Output tokens by response, as the page on collecting says: every generation counts, and each response once. */
function usageOf(rows: readonly TeamRow[]): ReadonlyMap<string, number> {
  const used = new Map<string, number>()
  for (const { kind, messageId, tokens } of rows) {
    if (kind !== 'response' || messageId === null || !tokens) continue
    used.set(messageId, Math.max(used.get(messageId) ?? 0, tokens.outputTokens))
  }
  return used
}

/** What a reader has who takes the newest generation of each file. */
function newestOf(rows: readonly TeamRow[]): readonly TeamRow[] {
  const newest = new Map<string, number>()
  for (const { file, generation } of rows) newest.set(file, Math.max(generation, newest.get(file) ?? 0))
  return rows.filter(({ file, generation }) => newest.get(file) === generation)
}

function namesFor(choices: typeof ALL, path: string): string {
  return collectorOf({ list: () => [], read: () => 0 }, new MemorySink(), { choices }).nameOf({ root: '/r', path })
}
