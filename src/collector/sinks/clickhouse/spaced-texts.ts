import { closeSync, openSync, readSync } from 'node:fs'
import type { SourceEntry } from '../../../disk/source.ts'
import { readTexts } from '../../../index/text.ts'
import { docCount, partsOfDoc, textOfDoc } from '../../../index/text-batch.ts'
import { clean } from './stored-row.ts'
import { spacedParts, spacedWords } from './words.ts'

/** What is searched of a record. */
export interface SpacedText {
  readonly words: string
  readonly parts: string
}

/** What is searched of each record of a log that can be found, in their order: the one in which they are numbered. */
export function* spacedTexts(entry: SourceEntry): Generator<SpacedText, undefined, undefined> {
  const decoder = new TextDecoder()
  const fd = openSync(entry.path, 'r')
  const source = {
    list: () => [entry],
    read: (_: SourceEntry, offset: number, into: Uint8Array) => readSync(fd, into, 0, into.length, offset),
  }
  try {
    for (let from = { offset: 0, line: 0 }; ; ) {
      const batch = readTexts(source, { entry, from, to: entry.sizeBytes }, { makes: 'index' })
      if (!batch) return
      for (let i = 0; i < docCount(batch); i++) {
        yield {
          words: clean(spacedWords(decoder.decode(textOfDoc(batch, i)))),
          parts: clean(spacedParts(decoder.decode(partsOfDoc(batch, i)))),
        }
      }
      if (batch.isEnd) return
      from = batch.end
    }
  } finally {
    closeSync(fd)
  }
}
