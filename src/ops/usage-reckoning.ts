import { deserialize, serialize } from 'node:v8'
import { KeySet } from '../core/key-set.ts'
import type { Tokens } from '../core/usage.ts'
import { numbersIn, packColumns, unpackColumns } from '../disk/columns.ts'
import { movingLogs } from './moving-logs.ts'
import type { Context } from './op.ts'
import { pricesStamp } from './price-book.ts'
import { libraryTitles } from './session-title.ts'
import { type LedgerLine, ledgerLines } from './usage-ledger.ts'
import { type Billed, inOrder, type Priced, priceAll } from './usage-price.ts'
import { type ReadingOptions, readUsage, type UsageReading, type UsageSession, withTitle } from './usage-reading.ts'

/** Everything that was used, with what it costs: what sums of any kind are made of. */
export interface Reckoning {
  readonly billed: readonly Billed[]
  /** The client's own ledgers beside it. */
  readonly lines: readonly LedgerLine[]
  /** Rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly { readonly at: number; readonly session: UsageSession }[]
  /** How much of the logs could not be read, so that it is in no sum. */
  readonly behindBytes: number
}

/** Whether a response of that time and session is asked for: making objects of all of them takes longest. */
export type IsMeant = (at: number, session: UsageSession) => boolean

/** The same, with the rows that it was made of. */
export interface WholeReckoning extends Reckoning {
  readonly billed: readonly Priced[]
  readonly reading: UsageReading
}

/**
 * Reckons up all logs. What the logs at rest come to is kept as one; the few that are being written are read beside it.
 * Where these have a response that the others have too, all are read: it counts once.
 */
export async function reckon(context: Context, isMeant: IsMeant = () => true): Promise<Reckoning> {
  const { library } = context
  const moving = movingLogs(library)
  const atRest = library.logs().filter((log) => !moving.has(log))
  const key = `usage at ${pricesStamp(context)}`
  if (!library.remembers) return onlyMeant(await reckonWhole(context), isMeant)
  let kept = library.recalled(key, atRest)
  if (!kept) {
    kept = packReckoning(await reckonWhole(context, { wants: (log) => !moving.has(log) }))
    library.remember(key, atRest, kept)
  }
  const { ids, ...rest } = unpackReckoning(kept, isMeant, libraryTitles(library))
  if (moving.size === 0) return rest
  const live = await reckonWhole(context, { wants: (log) => moving.has(log) })
  if (live.billed.some(({ response }) => ids.has(response.messageId))) {
    return onlyMeant(await reckonWhole(context), isMeant)
  }
  return {
    billed: inOrder([...rest.billed, ...onlyMeant(live, isMeant).billed]),
    lines: [...rest.lines, ...live.lines],
    synthetic: [...rest.synthetic, ...live.synthetic],
    behindBytes: rest.behindBytes + live.behindBytes,
  }
}

function onlyMeant(reckoning: Reckoning, isMeant: IsMeant): Reckoning {
  return { ...reckoning, billed: reckoning.billed.filter(({ at, session }) => isMeant(at, session)) }
}

/** Reckons up all logs, or those that are wanted, from what each of them says. */
export async function reckonWhole(context: Context, options: ReadingOptions = {}): Promise<WholeReckoning> {
  const { library } = context
  await library.warmUp(context.progress)
  const reading = readUsage(context, library, options)
  const billed = await priceAll(context, reading)
  const read = new Set(reading.logs.map(({ file }) => file))
  const wanted = library.logs().filter(options.wants ?? (() => true))
  return {
    billed,
    reading,
    lines: ledgerLines(reading, billed),
    synthetic: reading.logs.flatMap(({ session, synthetic }) =>
      synthetic.map((at) => ({ at: Date.parse(at), session })),
    ),
    behindBytes: wanted.reduce((sum, { path, sizeBytes }) => sum + (read.has(path) ? 0 : sizeBytes), 0),
  }
}

/** A reckoning as the index keeps it: sessions and models once, and beside it a row of numbers for each response, and their ids. */
interface PackedReckoning {
  readonly sessions: readonly Omit<UsageSession, 'title'>[]
  readonly models: readonly string[]
  readonly lines: readonly (Omit<LedgerLine, 'session'> & { readonly session: number })[]
  readonly synthetic: readonly { readonly at: number; readonly session: number }[]
  readonly behindBytes: number
}

const SESSION = 0
const MODEL = 1
const AT = 2
const COST = 3
const FLAGS = 4
const ROWS = 5
const FILES = 6
/** From here on in the order of `Tokens`. */
const TOKENS = 7
const WIDTH = 13
const IS_AGENT = 1
const IS_ABANDONED = 2
const IS_PLACEHOLDER = 4

function packReckoning({ billed, lines, synthetic, behindBytes }: WholeReckoning): Uint8Array {
  const sessions = new Map<UsageSession, number>()
  const models = new Map<string, number>()
  const sessionId = (session: UsageSession) => numberIn(sessions, session)
  const numbers = new Float64Array(billed.length * WIDTH)
  for (const [row, one] of billed.entries()) {
    const { used } = one
    const flags =
      (one.isAgent ? IS_AGENT : 0) | (one.isAbandoned ? IS_ABANDONED : 0) | (one.isPlaceholder ? IS_PLACEHOLDER : 0)
    numbers.set(
      [
        sessionId(one.session),
        numberIn(models, one.model),
        one.at,
        one.costUsd ?? Number.NaN,
        flags,
        one.rows,
        one.files,
        used.inputTokens,
        used.outputTokens,
        used.cacheReadTokens,
        used.cacheWrite5mTokens,
        used.cacheWrite1hTokens,
        used.webSearches,
      ],
      row * WIDTH,
    )
  }
  const packed: PackedReckoning = {
    lines: lines.map((line) => ({ ...line, session: sessionId(line.session) })),
    synthetic: synthetic.map(({ at, session }) => ({ at, session: sessionId(session) })),
    // Last, when all are known; titles, which other logs may tell, and names of agents and turns are never kept.
    sessions: [...sessions.keys()].map((session) => untitled(session)),
    models: [...models.keys()],
    behindBytes,
  }
  return Buffer.concat(packColumns([[serialize(packed)], [numbers], [KeySet.of(messageIds(billed)).keys]]))
}

function untitled(session: UsageSession): Omit<UsageSession, 'title'> {
  const { id, root, project, forkedFrom, lastAt, costState, compactions, interrupts } = session
  return { id, root, project, forkedFrom, lastAt, costState, compactions, interrupts, names: undefined }
}

function* messageIds(billed: readonly Priced[]): Iterable<string> {
  for (const { response } of billed) yield response.messageId
}

function numberIn<T>(known: Map<T, number>, one: T): number {
  const number = known.get(one) ?? known.size
  known.set(one, number)
  return number
}

function unpackReckoning(
  bytes: Uint8Array,
  isMeant: IsMeant,
  titles: ReturnType<typeof libraryTitles>,
): Reckoning & { readonly ids: KeySet } {
  const [words, rows, keys] = unpackColumns(bytes)
  const packed = deserialize(words as Uint8Array) as PackedReckoning
  const { models, lines, synthetic, behindBytes } = packed
  const sessions = packed.sessions.map((session) => withTitle(titles, session))
  const numbers = numbersIn(rows, Float64Array)
  const billed: Billed[] = []
  const sessionAt = (number: number) => sessions[number] as UsageSession
  for (let row = 0; row * WIDTH < numbers.length; row++) {
    const cell = (column: number) => numbers[row * WIDTH + column] as number
    const session = sessionAt(cell(SESSION))
    if (isMeant(cell(AT), session)) billed.push(new KeptBilled(numbers, row, session, models[cell(MODEL)] as string))
  }
  return {
    billed,
    lines: lines.map((line) => ({ ...line, session: sessionAt(line.session) })),
    synthetic: synthetic.map(({ at, session }) => ({ at, session: sessionAt(session) })),
    behindBytes,
    ids: new KeySet(numbersIn(keys, Float64Array)),
  }
}

/** A response that was kept: it reads its row when it is asked, since there may be half a million. */
class KeptBilled implements Billed, Tokens {
  readonly session: UsageSession
  readonly model: string
  readonly #numbers: Float64Array
  readonly #row: number

  constructor(numbers: Float64Array, row: number, session: UsageSession, model: string) {
    this.#numbers = numbers
    this.#row = row
    this.session = session
    this.model = model
  }

  #cell(column: number): number {
    return this.#numbers[this.#row * WIDTH + column] as number
  }
  get at(): number {
    return this.#cell(AT)
  }
  get costUsd(): number | null {
    const cost = this.#cell(COST)
    return Number.isNaN(cost) ? null : cost
  }
  get isAgent(): boolean {
    return (this.#cell(FLAGS) & IS_AGENT) !== 0
  }
  get isAbandoned(): boolean {
    return (this.#cell(FLAGS) & IS_ABANDONED) !== 0
  }
  get isPlaceholder(): boolean {
    return (this.#cell(FLAGS) & IS_PLACEHOLDER) !== 0
  }
  get rows(): number {
    return this.#cell(ROWS)
  }
  get files(): number {
    return this.#cell(FILES)
  }
  get used(): Tokens {
    return this
  }
  get inputTokens(): number {
    return this.#cell(TOKENS)
  }
  get outputTokens(): number {
    return this.#cell(TOKENS + 1)
  }
  get cacheReadTokens(): number {
    return this.#cell(TOKENS + 2)
  }
  get cacheWrite5mTokens(): number {
    return this.#cell(TOKENS + 3)
  }
  get cacheWrite1hTokens(): number {
    return this.#cell(TOKENS + 4)
  }
  get webSearches(): number {
    return this.#cell(TOKENS + 5)
  }
}
