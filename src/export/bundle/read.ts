import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { isObject, parseJson, stringAt } from '../../core/json.ts'
import { type Line, LineSplitter } from '../../core/log/lines.ts'
import { NEW_FILE, writeAllAt } from '../../state/private-file.ts'
import { BUNDLE_LIMITS, type BundledFile, type BundleLimits, type Manifest } from './format.ts'
import { readManifest, refused } from './manifest.ts'

/** How a bundle is read. */
export interface UnpackOptions {
  /** Not packed with gzip: someone has unpacked it. */
  readonly isPlain?: boolean
  readonly limits?: BundleLimits
}

/**
 * Unpacks a bundle into an empty folder of ours and checks every byte on the way. Fails at the first thing that is not as it
 * should be; what was written until then is for the caller to remove. The descriptor is closed.
 */
export async function unpackBundle(fd: number, stage: string, options: UnpackOptions = {}): Promise<Manifest> {
  const limits = options.limits ?? BUNDLE_LIMITS
  const reader = new BundleReader(stage, fstatSync(fd).size, limits)
  const splitter = new LineSplitter({ maxLineBytes: limits.manifestBytes })
  // The streams end with an error of their own when the reader gives up.
  let reason: unknown
  const read = async (chunks: AsyncIterable<Uint8Array>) => {
    try {
      for await (const chunk of chunks) {
        reader.unpacked(chunk.length)
        splitter.push(chunk, (line) => reader.line(line))
      }
      splitter.finish((line) => reader.line(line))
    } catch (error) {
      reason ??= error
      throw error
    }
  }
  const bytes = createReadStream('', { fd, start: 0 })
  try {
    await (options.isPlain ? pipeline(bytes, read) : pipeline(bytes, createGunzip(), read))
    return reader.finish()
  } catch (error) {
    throw isGzipError(reason ?? error) ? refused('it is cut off or damaged') : (reason ?? error)
  } finally {
    reader.close()
  }
}

function isGzipError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code))
}

/** A file that is being written. */
interface OpenFile {
  readonly file: BundledFile
  readonly fd: number
  readonly hash: Hash
  bytes: number
}

class BundleReader {
  readonly #stage: string
  readonly #packedBytes: number
  readonly #limits: BundleLimits
  #manifest: Manifest | undefined
  #waiting: BundledFile[] = []
  #open: OpenFile | undefined
  #unpackedBytes = 0
  #mostBytes: number

  constructor(stage: string, packedBytes: number, limits: BundleLimits) {
    this.#stage = stage
    this.#packedBytes = packedBytes
    this.#limits = limits
    this.#mostBytes = 2 * limits.manifestBytes
  }

  /** Counts what came out of the packing, so that a small file cannot become an endless one. */
  unpacked(bytes: number): void {
    this.#unpackedBytes += bytes
    if (this.#unpackedBytes > this.#mostBytes) throw refused('it unpacks to more than it declares')
  }

  line({ bytes, length, complete, hash }: Line): void {
    if (!complete) throw refused('it is cut off or damaged')
    if (this.#manifest && (hash !== undefined || length > this.#limits.lineBytes))
      throw refused('one of its lines is too long')
    if (hash !== undefined || length === 0) throw refused('its first line is not a list of files, or too long')
    const text = Buffer.from(bytes).toString('utf8')
    if (this.#manifest) this.#piece(text)
    else this.#begin(readManifest(text, this.#packedBytes, this.#limits))
  }

  #begin(manifest: Manifest): void {
    this.#manifest = manifest
    this.#waiting = [...manifest.files]
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
    // No character takes more than six of JSON, and every piece names its path.
    this.#mostBytes = this.#unpackedBytes + 8 * bytes + 2048 * manifest.files.length + 2 * this.#limits.lineBytes
  }

  #piece(text: string): void {
    const value = parseJson(text)
    const path = stringAt(value, 'path')
    const content = contentOf(value)
    if (path === undefined || !content || content.length === 0) throw refused('one of its lines is not part of a file')
    while (this.#open?.file.path !== path) {
      this.#next()
      // What is empty has no piece.
      if (this.#open === undefined) throw refused('one of its pieces belongs to no file that it lists')
    }
    const open = this.#open as OpenFile
    if (open.bytes + content.length > open.file.bytes) throw refused(`"${open.file.path}" is longer than it says`)
    writeAllAt(open.fd, content, open.bytes)
    open.hash.update(content)
    open.bytes += content.length
  }

  /** Ends the file that is open, and begins the next. */
  #next(): void {
    this.#end()
    const file = this.#waiting.shift()
    if (!file) return
    const target = join(this.#stage, ...file.path.split('/'))
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    const fd = openSync(target, NEW_FILE, 0o600)
    this.#open = { file, fd, hash: createHash('sha256'), bytes: 0 }
    fchmodSync(fd, 0o600)
  }

  #end(): void {
    const open = this.#open
    if (!open) return
    const { file, fd, hash, bytes } = open
    if (bytes !== file.bytes) throw refused(`"${file.path}" is incomplete`)
    if (hash.digest('hex') !== file.sha256) throw refused(`"${file.path}" has changed: its hash differs`)
    const time = Date.parse(file.modifiedAt ?? '')
    if (time > 0 && time < LAST_TIME) futimesSync(fd, time / 1000, time / 1000)
    fsyncSync(fd)
    this.close()
  }

  finish(): Manifest {
    if (!this.#manifest) throw refused('it is empty')
    do this.#next()
    while (this.#open)
    return this.#manifest
  }

  close(): void {
    if (this.#open) closeSync(this.#open.fd)
    this.#open = undefined
  }
}

/** No file was written after it. */
const LAST_TIME = Date.UTC(2100, 0)

function contentOf(value: unknown): Buffer | undefined {
  if (!isObject(value) || Object.keys(value).length !== 2) return undefined
  const text = stringAt(value, 'text')
  if (text !== undefined) return Buffer.from(text)
  const base64 = stringAt(value, 'base64')
  return base64 !== undefined && /^[A-Za-z0-9+/]*={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined
}
