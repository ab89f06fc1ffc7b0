import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Failure } from '../../../core/failure.ts'
import { parseJson } from '../../../core/json.ts'
import { asFailure } from '../postgres/store.ts'
import { type ClickHouseAddress, readClickHouseAddress } from './address.ts'
import { ASKING, clientOptions } from './client-options.ts'
import type { Asked, Found } from './connect.ts'
import { asTrouble } from './trouble.ts'

const PATIENCE_MS = 150_000

/** Asks a ClickHouse and waits for the answer on the spot: a history is asked synchronously, wherever its tables lie. */
export class AskThread {
  readonly address: ClickHouseAddress
  readonly #signal = new Int32Array(new SharedArrayBuffer(4))
  readonly #port
  readonly #worker: Worker

  constructor(url: string, given: { readonly password?: string | undefined }) {
    this.address = readClickHouseAddress(url, given)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(new URL('./ask-clickhouse.mjs', import.meta.url), {
      workerData: {
        port: port2,
        signal: this.#signal.buffer,
        options: clientOptions(this.address, { timeoutMs: PATIENCE_MS, settings: ASKING }),
      },
      transferList: [port2],
      stderr: false,
    })
    // Whoever is done does not wait for it.
    this.#worker.unref()
    port1.unref()
  }

  rows<T = Found>(sql: string, values: Asked = {}): T[] {
    Atomics.store(this.#signal, 0, 0)
    this.#port.postMessage({ sql, values })
    if (Atomics.wait(this.#signal, 0, 0, PATIENCE_MS + 5_000) === 'timed-out') {
      throw new Failure('CANNOT_RUN', `The team store at ${this.address.shown} does not answer.`)
    }
    const told = receiveMessageOnPort(this.#port)?.message as { text?: string; error?: Error } | undefined
    if (told?.text === undefined) {
      throw asFailure(asTrouble(Object.assign(new Error(told?.error?.message), told?.error), this.address))
    }
    return told.text.split('\n').flatMap((line) => (line === '' ? [] : [parseJson(line) as T]))
  }

  close(): void {
    void this.#worker.terminate()
  }
}
