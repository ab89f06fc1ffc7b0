import { openHub } from './event-hub.ts'
import type { Asked } from './events.ts'

/** Holds the one stream for all tabs of a browser. */
const hub = openHub()

// The types of a page are not those of a worker.
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void }
scope.onconnect = ({ ports }) => {
  const [port] = ports
  if (!port) return
  let member = hub.join((told) => port.postMessage(told))
  port.onmessage = ({ data }: MessageEvent<Asked>) => {
    if (data === 'leave') member.leave()
    else if (data === 'join') {
      member.leave()
      member = hub.join((told) => port.postMessage(told))
    } else member.follow(data)
  }
}
