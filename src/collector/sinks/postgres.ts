import { setTimeout as sleep } from 'node:timers/promises'
import { parseJson } from '../../core/json.ts'
import { readCursor } from '../../disk/cursor.ts'
import { type Batch, type Delivery, type Machine, type Mark, type Sink, SinkTrouble } from '../sink.ts'
import { FactMaker } from './fact-maker.ts'
import { type AddressDefaults, readAddress } from './postgres/address.ts'
import { connect, isLost } from './postgres/connect.ts'
import { deliverBatch } from './postgres/deliver.ts'
import { FACTS_CONNECTION, postgresFacts } from './postgres/make-facts.ts'
import { ensureSchema } from './postgres/migrate.ts'
import { cleanText } from './postgres/pg-text.ts'
import { asTrouble } from './postgres/trouble.ts'

/** How a PostgreSQL is used as a sink. */
export interface PostgresOptions extends AddressDefaults {
  /** Whether `open` makes and changes tables where the user may; else it only looks. */
  readonly migrate?: boolean
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
}

/** The team store: rows, documents and marks in one transaction, so that a delivery is whole or has not happened. */
export function postgresSink(url: string, options: PostgresOptions = {}): Sink {
  const address = readAddress(url, options)
  const { statementTimeoutMs } = options
  const patience = statementTimeoutMs === undefined ? {} : { statementTimeoutMs }
  const open = () => connect(address, patience)
  let store = open()
  // The driver tries for ever to reach a server that hangs up before it has said anything.
  const reach = async () => {
    const waiting = new AbortController()
    const late = sleep(options.connectTimeoutMs ?? 20_000, 'late', { signal: waiting.signal }).catch(() => 'reached')
    const answer = await Promise.race([store.reach().then(() => 'reached'), late]).finally(() => waiting.abort())
    if (answer !== 'late') return
    void store.close(0).catch(() => {})
    store = open()
    throw new SinkTrouble(`The team store at ${address.shown} does not answer.`, { passes: true })
  }
  const saying = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      await reach()
      return await ask()
    } catch (error) {
      // A connection of the driver that was cut once may wait for ever when it is used again.
      if (isLost(error)) {
        void store.close(0).catch(() => {})
        store = open()
      }
      throw asTrouble(error, address)
    }
  }
  // Reading what was delivered takes longer than to deliver it, so it waits for a quiet moment: a file is done, or the end has come.
  const facts = new FactMaker(postgresFacts(() => connect(address, { ...patience, name: FACTS_CONNECTION })))
  const announced = new Set<string>()
  const announce = async ({ id, user, name }: Machine) => {
    await store.ask((tx) => tx`select annals.announce(${id}, ${user && cleanText(user)}, ${name && cleanText(name)})`)
    announced.add(id)
  }
  return {
    open: (machine: Machine) =>
      saying(async () => {
        await ensureSchema(store, address.shown, options.migrate ?? true)
        await announce(machine)
        facts.know(machine.id)
        // A partition that cannot be made now is no reason to stop: rows go to the one for the rest.
        await store.ask((tx) => tx`select annals.keep_ahead()`).catch(() => {})
        await store.ask((tx) => tx`select annals.sweep()`).catch(() => {})
      }),
    marks: (machine: string) =>
      saying(async () => {
        const rows = await store.ask(
          (tx) => tx`select file, generation, "offset", cursor from annals.marks_of(${machine})`,
        )
        return rows.map(
          ({ file, generation, offset, cursor }): Mark => ({
            machine,
            file: String(file),
            generation: Number(generation),
            offset: Number(offset),
            cursor: typeof cursor === 'string' ? (readCursor(parseJson(cursor)) ?? null) : null,
          }),
        )
      }),
    deliver: (batch: Batch): Promise<Delivery> =>
      saying(async () => {
        // A receiver delivers for machines that it learns of from their batches.
        if (!announced.has(batch.machine.id)) await announce(batch.machine)
        const done = await deliverBatch(store, batch)
        facts.note(batch)
        return done
      }),
    check: () => saying(() => store.reach()),
    close: async () => {
      await facts.finish()
      await store.close()
    },
  }
}
