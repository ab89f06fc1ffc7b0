import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogRecord } from '../core/record.ts'

/**
 * What one log comes to for some purpose: plain data, made in one pass over its records and from nothing else, so that it
 * can be kept for as long as the log is what it was.
 */
export interface LogFold<T> {
  /** What is made and which version of it: whoever changes what is made changes the name. */
  readonly name: string
  readonly begin: () => RunningFold<T>
}

/** A fold while its log is read. */
export interface RunningFold<T> {
  record(record: LogRecord): void
  end(): T
}

/** What a log came to, as bytes, for a cache that hands them back to the same fold. */
export function packFold<T>(value: T): Uint8Array {
  return deflateRawSync(serialize(value), { level: 1 })
}

/** The same, opened; `undefined` where the bytes are none of ours, so that it is made anew. */
export function unpackFold<T>(_fold: LogFold<T>, bytes: Uint8Array): T | undefined {
  try {
    return deserialize(inflateRawSync(bytes)) as T
  } catch {
    return undefined
  }
}
