import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A thread that was asked nothing for so long is taken to rest. */
const REST_MS = 300

/**
 * Gives memory back when a thread rests: what an answer was made of is garbage then, and V8 by itself would keep the room
 * for it as long as nobody needs it. Call it after each piece of work.
 */
export function openIdleMemory(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let timer: NodeJS.Timeout | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(collect, REST_MS).unref()
  }
}
