import type { Answer, Question } from './op-runner.ts'
import type { WorkerPool } from './worker-pool.ts'

/** As many sessions as a screen has room for, and some more. */
const QUESTION: Question = { op: 'sessions', input: { limit: 60 } }

/** Older than this it is made anew before it is shown. */
const MOST_AGE_MS = 5 * 60_000

/** The first screen of the list of sessions, as it was last known. */
export interface FirstScreen {
  /** At once where it is known; what was written since comes with the whole list, which a page asks for next. */
  answer(): Promise<Answer>
}

/** Makes the first screen before anybody asks for it, and anew behind everyone who did. */
export function openFirstScreen(pool: Pick<WorkerPool, 'ask'>): FirstScreen {
  let known: { readonly answer: Answer; readonly at: number } | undefined
  let coming: Promise<Answer> | undefined

  function make(): Promise<Answer> {
    coming ??= pool.ask(QUESTION).then((answer) => {
      coming = undefined
      if (answer.status === 200) known = { answer, at: Date.now() }
      return answer
    })
    return coming
  }

  void make()
  return {
    answer() {
      if (!known || Date.now() - known.at > MOST_AGE_MS) return make()
      const { answer } = known
      void make()
      return Promise.resolve(answer)
    },
  }
}
