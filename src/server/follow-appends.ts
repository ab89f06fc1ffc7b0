import { endOf, followAppends } from '../disk/follow.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** What is told of a log that is followed. */
export type LogEvent =
  /** It is followed from this offset. */
  | { readonly kind: 'started'; readonly offset: number }
  | { readonly kind: 'rows'; readonly offset: number; readonly sizeBytes: number; readonly records: number }
  | { readonly kind: 'rewritten' }
  | { readonly kind: 'gone' }

/** A look costs one stat, and somebody is watching. */
const EVERY_MS = 15

/**
 * Tells of each append to a log from an offset on. What is told first is where it begins; who goes on from the last offset
 * told misses nothing and gets nothing twice.
 */
export async function tellAppends(
  source: Source,
  entry: SourceEntry,
  from: number | undefined,
  signal: AbortSignal,
  tell: (event: LogEvent) => Promise<void>,
): Promise<void> {
  const start = from === undefined ? endOf(source, entry) : { offset: from, line: 0 }
  await tell({ kind: 'started', offset: start.offset })
  let records = 0
  const record = () => {
    records += 1
  }
  for await (const event of followAppends(source, entry, start, { signal, everyMs: EVERY_MS, record })) {
    if (event.kind === 'appended') {
      await tell({ kind: 'rows', offset: event.end.offset, sizeBytes: event.sizeBytes, records })
    } else await tell({ kind: event.kind })
    records = 0
  }
}
