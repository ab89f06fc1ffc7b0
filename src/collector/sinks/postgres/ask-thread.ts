import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Failure } from '../../../core/failure.ts'
import { parseJson } from '../../../core/json.ts'
import { type Address, type AddressDefaults, readAddress } from './address.ts'
import { driverOptions, settingsFor } from './connect.ts'
import { asFailure } from './store.ts'
import { asTrouble } from './trouble.ts'

/** What a row of an answer holds. */
export type AnsweredRow = Readonly<Record<string, unknown>>

/** Asks a PostgreSQL and waits for the answer on the spot: a history is asked synchronously, wherever its tables lie. */
export class AskThread {
  readonly address: Address
  readonly #signal = new Int32Array(new SharedArrayBuffer(4))
  readonly #port
  readonly #worker: Worker

  constructor(url: string, defaults: AddressDefaults = {}) {
    this.address = readAddress(url, defaults)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(new URL('./ask-thread.mjs', import.meta.url), {
      workerData: {
        port: port2,
        signal: this.#signal.buffer,
        options: driverOptions(this.address),
        always: settingsFor(this.address),
      },
      transferList: [port2],
      stderr: false,
    })
    // Whoever is done does not wait for it.
    this.#worker.unref()
    port1.unref()
  }

  /** All rows of a query; settings hold for this one alone. */
  rows(
    text: string,
    values: readonly unknown[] = [],
    settings: Readonly<Record<string, string>> = {},
  ): readonly AnsweredRow[] {
    Atomics.store(this.#signal, 0, 0)
    this.#port.postMessage({ text, values, settings })
    if (Atomics.wait(this.#signal, 0, 0, PATIENCE_MS) === 'timed-out') {
      throw new Failure('CANNOT_RUN', `The team store at ${this.address.shown} does not answer.`)
    }
    const told = receiveMessageOnPort(this.#port)?.message as { rows?: AnsweredRow[]; error?: Error } | undefined
    if (told?.rows) return told.rows
    throw asFailure(asTrouble(Object.assign(new Error(told?.error?.message), told?.error), this.address))
  }

  /** The same as one JSON text: the driver takes many times as long to hand over each value by itself. */
  json<T>(
    text: string,
    values: readonly unknown[] = [],
    settings: Readonly<Record<string, string>> = {},
  ): readonly T[] {
    const [row] = this.rows(`select coalesce(json_agg(t), '[]')::text as rows from (${text}) t`, values, settings)
    return parseJson(String(row?.rows)) as unknown as T[]
  }

  close(): void {
    void this.#worker.terminate()
  }
}

const PATIENCE_MS = 150_000
