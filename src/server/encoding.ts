import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

/** How a body may be packed on its way. */
export type Encoding = 'br' | 'gzip'

/** What is smaller is sent as it is: packing would take longer than it saves. */
const LEAST_BYTES = 2048

const pack = promisify(gzip)

/** Compressed bodies by their bytes: static files are sent many times, and go when the bytes go. */
const known = new WeakMap<Uint8Array, Promise<Uint8Array<ArrayBuffer>>>()

/** The packings that a browser takes, the smallest first. */
export function encodingsFor(accept: string | undefined): readonly Encoding[] {
  const taken = (accept ?? '')
    .split(',')
    .map((one) => one.trim().split(';'))
    .filter(([, weight]) => !/^\s*q=0(?:\.0*)?\s*$/.test(weight ?? ''))
    .map(([name]) => name?.toLowerCase())
  return (['br', 'gzip'] as const).filter((name) => taken.includes(name))
}

/** Packs an answer where who asked takes that, beside the thread that serves. */
export async function packed(
  body: Uint8Array<ArrayBuffer>,
  accept: string | undefined,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> }> {
  if (body.length < LEAST_BYTES || !encodingsFor(accept).includes('gzip')) return { body, headers: {} }
  const small = known.get(body) ?? pack(body, { level: constants.Z_BEST_SPEED }).then((bytes) => new Uint8Array(bytes))
  known.set(body, small)
  return { body: await small, headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } }
}
