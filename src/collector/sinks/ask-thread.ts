import { receiveMessageOnPort } from 'node:worker_threads'
import { Failure } from '../../core/failure.ts'
import { troubleAsFailure } from '../sink.ts'
import type { StartedThread } from './started-thread.ts'

/** What is asked, and how. */
export interface Asking {
  /** Answers `{ number, answer }` or `{ number, error }`, and then adds one to the signal. */
  readonly thread: StartedThread
  /** What the thread needs to know first. */
  readonly data: object
  /** The address of the store, for people. */
  readonly shown: string
  /** An error of the driver as a sentence. */
  readonly trouble: (error: Error) => unknown
}

interface Told<Answer> {
  readonly number: number
  readonly answer?: Answer
  readonly error?: Error
}

const PATIENCE_MS = 155_000

/**
 * Asks a store and waits for the answer on the spot: a history is asked synchronously, wherever its tables lie. What is sent before its
 * answer is needed is worked on meanwhile.
 */
export class AskThread<Answer> {
  readonly #asking: Asking
  readonly #told = new Map<number, Told<Answer>>()
  #sent = 0

  constructor(asking: Asking) {
    this.#asking = asking
    asking.thread.port.postMessage(asking.data)
  }

  /** Sends a question; the answer is waited for by whoever calls what this gives. */
  send(question: object): () => Answer {
    this.#sent += 1
    const number = this.#sent
    this.#asking.thread.port.postMessage({ ...question, number })
    return () => this.#answer(number)
  }

  ask(question: object): Answer {
    return this.send(question)()
  }

  #answer(number: number): Answer {
    const { thread, shown, trouble } = this.#asking
    for (;;) {
      const told = this.#told.get(number)
      if (told) {
        this.#told.delete(number)
        if (told.answer !== undefined) return told.answer
        throw troubleAsFailure(trouble(Object.assign(new Error(told.error?.message), told.error)))
      }
      // Looked at before the port: what comes between the two is not slept over.
      const answered = Atomics.load(thread.signal, 0)
      const next = receiveMessageOnPort(thread.port)?.message as Told<Answer> | undefined
      if (next) this.#told.set(next.number, next)
      else if (Atomics.wait(thread.signal, 0, answered, PATIENCE_MS) === 'timed-out')
        throw new Failure('CANNOT_RUN', `The team store at ${shown} does not answer.`)
    }
  }

  close(): void {
    void this.#asking.thread.worker.terminate()
  }
}
