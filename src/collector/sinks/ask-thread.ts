import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Failure } from '../../core/failure.ts'
import { asFailure } from './postgres/store.ts'

/** What a thread that asks is made of. */
export interface Asking {
  /** The program of the thread, which sends `{ answer }` or `{ error }` and then sets the signal. */
  readonly program: URL
  readonly data: object
  /** The address of the store, for people. */
  readonly shown: string
  /** An error of the driver as a sentence. */
  readonly trouble: (error: Error) => unknown
}

const PATIENCE_MS = 155_000

/** Asks a store and waits for the answer on the spot: a history is asked synchronously, wherever its tables lie. */
export class AskThread<Answer> {
  readonly #asking: Asking
  readonly #signal = new Int32Array(new SharedArrayBuffer(4))
  readonly #port
  readonly #worker: Worker

  constructor(asking: Asking) {
    this.#asking = asking
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(asking.program, {
      workerData: { ...asking.data, port: port2, signal: this.#signal.buffer },
      transferList: [port2],
      stderr: false,
    })
    // Whoever is done does not wait for it.
    this.#worker.unref()
    port1.unref()
  }

  ask(question: object): Answer {
    const { shown, trouble } = this.#asking
    Atomics.store(this.#signal, 0, 0)
    this.#port.postMessage(question)
    if (Atomics.wait(this.#signal, 0, 0, PATIENCE_MS) === 'timed-out') {
      throw new Failure('CANNOT_RUN', `The team store at ${shown} does not answer.`)
    }
    const told = receiveMessageOnPort(this.#port)?.message as { answer?: Answer; error?: Error } | undefined
    if (told?.answer !== undefined) return told.answer
    throw asFailure(trouble(Object.assign(new Error(told?.error?.message), told?.error)))
  }

  close(): void {
    void this.#worker.terminate()
  }
}
