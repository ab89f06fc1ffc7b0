import { parentPort, workerData } from 'node:worker_threads'
import { onMessages } from '../../disk/end-thread.ts'
import { openLibrary } from '../../history/compose.ts'
import { type Answers, createAnswers } from './answers.ts'
import type { Question, Reply, ThreadData } from './thread.ts'

/** The thread that reads logs and the index for the picker, so that typing never waits for them. */
const { roots, ...settings } = workerData as ThreadData
const library = openLibrary(roots, () => {}, settings.dataDir, settings.cacheDir)
const answers = createAnswers({
  ...settings,
  library,
  now: new Date(),
  currentSession: undefined,
  warn: () => {},
  progress: () => {},
})

onMessages(parentPort, async ({ id, kind, request }: Question) => {
  parentPort?.postMessage(await reply(id, () => answers[kind as keyof Answers](request as never)))
})

async function reply(id: number, answer: () => unknown): Promise<Reply> {
  try {
    return { id, value: await answer() }
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) }
  }
}
