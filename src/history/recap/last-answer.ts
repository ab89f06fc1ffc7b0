import { stringAt } from '../../core/json.ts'
import { blocksOf } from '../../core/log/content.ts'
import { streamRecords } from '../../disk/log-file.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import type { SingleCall } from '../../index/queries/spending.ts'

/** The last thing that was answered in words, among responses in the order of time; `null` where none has any. */
export function lastAnswer(source: Source, entry: SourceEntry, responses: readonly SingleCall[]): string | null {
  for (const response of responses.slice(-MOST_RESPONSES).reverse()) {
    const text = textOf(source, entry, response)
    if (text !== '') return text
  }
  return null
}

/** Who called so many tools without a word has nothing to tell. */
const MOST_RESPONSES = 30
/** Rows of a response stand together, with answers of tools between them. */
const MOST_ROWS = 20

function textOf(source: Source, entry: SourceEntry, { messageId, line, offset }: SingleCall): string {
  const texts: string[] = []
  let rows = 0
  for (const { raw } of streamRecords(source, entry, { offset, line: line - 1 })) {
    if (rows++ >= MOST_ROWS) break
    const message = raw.message
    const id = stringAt(message, 'id')
    if (id !== undefined && id !== messageId) break
    if (id === undefined) continue
    for (const block of blocksOf(raw)) if (stringAt(block, 'type') === 'text') texts.push(stringAt(block, 'text') ?? '')
  }
  return texts.join('\n\n').trim()
}
