import type { IncomingMessage } from 'node:http'

const MOST_BYTES = 64 * 1024

/** The body of a request as text; `undefined` where it is larger than any that we take, or was cut off. */
export function readText(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MOST_BYTES) chunks.push(chunk)
      else {
        request.pause()
        resolve(undefined)
      }
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('close', () => resolve(undefined))
  })
}
