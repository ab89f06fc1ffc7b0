import type { Batch, Delivery, Machine, Sink } from '../sink.ts'
import { readClickHouseAddress } from './clickhouse/address.ts'
import { connect } from './clickhouse/connect.ts'
import { deliverBatches } from './clickhouse/deliver.ts'
import { ensureTables } from './clickhouse/ensure.ts'
import { clickhouseFacts } from './clickhouse/facts.ts'
import { markFrom, storedMachine } from './clickhouse/stored-row.ts'
import { FactMaker } from './fact-maker.ts'

/** How a ClickHouse is used as a sink. */
export interface ClickHouseOptions {
  readonly password?: string | undefined
  readonly timeoutMs?: number
}

/** What goes at once: a server likes few large inserts, and dislikes many small ones. */
const MOST = { rows: 50_000, bytes: 64 * 1024 * 1024 }

/**
 * The team store of a company. There are no transactions: rows come before the marks that say so, keys make one row of what came
 * twice. What is delivered while an insert is under way goes together in the next one, however many machines it is of.
 */
export function clickhouseSink(url: string, options: ClickHouseOptions = {}): Sink {
  const address = readClickHouseAddress(url, options)
  const connecting = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }
  const store = connect(address, connecting)
  const facts = new FactMaker(clickhouseFacts(store, address))
  const announced = new Set<string>()
  const announce = async (machines: readonly Machine[]) => {
    const unknown = new Map(machines.filter(({ id }) => !announced.has(id)).map((machine) => [machine.id, machine]))
    await store.insert('machine', [...unknown.values()].map(storedMachine))
    for (const id of unknown.keys()) announced.add(id)
  }
  let waiting: Waiting[] = []
  let working: Promise<void> | undefined

  /** Takes what waits, as much as goes at once, until nothing does. */
  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const round = nextRound(waiting)
      waiting = waiting.filter((one) => !round.has(one))
      try {
        const batches = Array.from(round, ({ batch }) => batch)
        await announce(batches.map(({ machine }) => machine))
        const done = await deliverBatches(store, address, batches)
        for (const batch of batches) facts.note(batch)
        for (const [at, { resolve }] of [...round].entries()) resolve(done[at] as Delivery)
      } catch (error) {
        for (const { reject } of round) reject(error)
      }
    }
    working = undefined
  }

  return {
    async open(machine) {
      await ensureTables(address, connecting)
      await announce([machine])
      facts.know(machine.id)
    },
    async marks(machine) {
      const found = await store.ask(
        `select machine, file, generation, offset, cursor from mark final where machine = {machine:String}`,
        { machine },
      )
      return found.map(markFrom)
    },
    deliver: (batch) =>
      new Promise<Delivery>((resolve, reject) => {
        waiting.push({ batch, resolve, reject })
        working ??= work()
      }),
    async close() {
      await working
      await facts.finish()
      await store.close()
    },
  }
}

interface Waiting {
  readonly batch: Batch
  readonly resolve: (delivery: Delivery) => void
  readonly reject: (error: unknown) => void
}

/** What goes at once of those that wait: as much as fits, and of each machine one, since its batches follow each other. */
function nextRound(waiting: readonly Waiting[]): ReadonlySet<Waiting> {
  const round = new Set<Waiting>()
  const machines = new Set<string>()
  let [rows, bytes] = [0, 0]
  for (const one of waiting) {
    const { batch } = one
    if (machines.has(batch.machine.id)) continue
    machines.add(batch.machine.id)
    rows += batch.rows.length
    for (const { content } of [...batch.rows, ...batch.documents]) bytes += content.length
    if (round.size > 0 && (rows > MOST.rows || bytes > MOST.bytes)) break
    round.add(one)
  }
  return round
}
