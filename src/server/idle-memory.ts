import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A thread that was asked nothing for so long is taken to rest; once more later, for what looking around left behind. */
const REST_MS = [300, 6_000]
/** And after so long, whoever was reading has gone: what is open is closed. */
const GONE_MS = 60_000

/**
 * Gives memory back when a thread rests: what an answer was made of is garbage then, and V8 by itself would keep the room
 * for it as long as nobody needs it. Call it after each piece of work.
 */
export function openIdleMemory(letGo: () => void = () => {}): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let timers: readonly NodeJS.Timeout[] = []
  return () => {
    for (const timer of timers) clearTimeout(timer)
    timers = [
      setTimeout(letGo, GONE_MS).unref(),
      ...[...REST_MS, GONE_MS + 300].map((ms) => setTimeout(collect, ms).unref()),
    ]
  }
}
