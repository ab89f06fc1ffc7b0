import { createGunzip } from 'node:zlib'
import { type JsonValue, parseJson } from '../../core/json.ts'
import { contentSumOf } from '../auth.ts'
import type { MemoryShare } from './held-memory.ts'
import type { Refused } from './refusal.ts'

/** How large a body may be. */
export interface BodyLimits {
  readonly bodyBytes: number
  /** Unpacked: a small body may hold much. */
  readonly unpackedBytes: number
}

/** A body as JSON, and its size as it came. */
export interface ReadBody {
  readonly value: JsonValue | undefined
  readonly bytes: number
}

/** Each piece is a way to another thread and back; a bomb is noticed one piece late. */
const UNPACKED_AT_ONCE = 256 * 1024

/** What a text costs when it has become objects, beside itself. */
const PARSED = 4

/**
 * Reads the body of a request whose sender is known. Bytes are counted as they come, packed and unpacked, so that no more is held
 * than may be; `sum` is what they were signed as.
 */
export async function readBody(
  request: Request,
  { bodyBytes, unpackedBytes }: BodyLimits,
  share: MemoryShare,
  sum: string | undefined,
): Promise<ReadBody | Refused> {
  const large = (most: number, when: string): Refused => {
    return { status: 413, reason: 'too-large', message: `A request has at most ${most} bytes${when}.` }
  }
  if (Number(request.headers.get('content-length') ?? 0) > bodyBytes) return large(bodyBytes, '')
  const raw = await gather(chunksOf(request), bodyBytes, (bytes) => share.take(bytes)).catch(() => undefined)
  // Its sender hung up or took too long, and sends it again.
  if (raw === undefined) return CUT
  if (raw === 'large') return large(bodyBytes, '')
  if (raw === 'full') return FULL
  if (sum !== undefined && sum !== contentSumOf(raw)) {
    return { status: 401, reason: 'signature', message: 'The body is not the one that was signed.' }
  }
  const bytes = raw.length
  const isPacked = request.headers.get('content-encoding') === 'gzip'
  if (!isPacked) return share.take(bytes * PARSED) ? { value: parseJson(raw.toString('utf8')), bytes } : FULL
  try {
    const text = await gather(unpacked(raw), unpackedBytes, (more) => share.take(more * PARSED))
    if (text === 'large') return large(unpackedBytes, ' when it is unpacked')
    return text === 'full' ? FULL : { value: parseJson(text.toString('utf8')), bytes }
  } catch {
    return { status: 400, reason: 'not-gzip', message: 'The request is not gzip.' }
  }
}

const CUT: Refused = { status: 400, reason: 'cut', message: 'The connection ended before the request did.' }
const FULL: Refused = { status: 503, reason: 'busy', message: 'Too much is being received at once.' }

async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { value } = await reader.read()
      if (!value) return
      yield value
    }
  } finally {
    // Whoever was refused half-way is not listened to any longer.
    await reader.cancel().catch(() => {})
  }
}

async function* unpacked(raw: Buffer): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: UNPACKED_AT_ONCE })
  stream.end(raw)
  try {
    yield* stream
  } finally {
    stream.destroy()
  }
}

async function gather(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  mayTake: (bytes: number) => boolean,
): Promise<Buffer | 'large' | 'full'> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) return 'large'
    if (!mayTake(chunk.length)) return 'full'
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}
