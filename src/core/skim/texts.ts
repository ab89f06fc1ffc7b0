import { isSearchedAttachment, type Searchable, type SearchKind } from '../search/searchable.ts'
import { partsOf } from '../search/words.ts'
import * as at from './layout.ts'
import type { SkimmedBlock, Skimmer } from './skimmer.ts'

/** The searched text of a plain row, `undefined` where there is nothing to be found, `left` where the parser has to read the line. */
export function skimText(skimmer: Skimmer, row: number): SkimmedText | 'left' | undefined {
  const type = skimmer.name(row, at.TYPE)
  if (type === 'attachment')
    return isSearchedAttachment(skimmer.name(row, at.ATTACHMENT_TYPE) ?? '') ? 'left' : undefined
  if (type !== 'user' && type !== 'assistant' && type !== 'system') return undefined
  const out = skimmer.scratch(skimmer.length(row) + at.SLACK)
  skimmer.engine.beginText(out)
  const what =
    type === 'user' ? addResults(skimmer, row) : type === 'system' ? addSystem(skimmer, row) : addAnswer(skimmer, row)
  const length = skimmer.engine.endText()
  if (what === 'left' || length === -1) return 'left'
  if (length === 0) return undefined
  return new SkimmedText(skimmer, row, what, out, length)
}

/** What of a row is searched: the same as `searchableText` gives, its text in bytes. Holds until the next text is skimmed. */
export class SkimmedText implements Omit<Searchable, 'text' | 'isCut'> {
  readonly role: Searchable['role']
  readonly kind: Searchable['kind']
  readonly isError: boolean
  readonly #skimmer: Skimmer
  readonly #row: number
  readonly #address: number
  readonly #length: number

  constructor(skimmer: Skimmer, row: number, { role, kind, isError }: What, address: number, length: number) {
    this.role = role
    this.kind = kind
    this.isError = isError
    this.#skimmer = skimmer
    this.#row = row
    this.#address = address
    this.#length = length
  }

  /** UTF-8. */
  get text(): Uint8Array {
    return this.#skimmer.slice(this.#address, this.#length)
  }

  /** What goes into the `parts` column for the text. */
  get parts(): Uint8Array {
    return partsAt(this.#skimmer, this.#address, this.#length)
  }

  get tools(): readonly string[] {
    return unique(this.#blocks().map(({ kind, name }) => (isCall(kind) ? name : '')))
  }

  /** The first tool that is called. */
  get tool(): string | null {
    if (this.kind === 'error') return null
    const skimmer = this.#skimmer
    for (let i = 0; i < skimmer.blockCount(this.#row); i++) {
      const name = isCall(skimmer.blockKind(this.#row, i)) ? skimmer.blockName(this.#row, i) : undefined
      if (name) return name
    }
    return null
  }

  get toolUseIds(): readonly string[] {
    return unique(this.#blocks().map(({ id }) => id))
  }

  get files(): readonly string[] {
    return filesOf(this.#skimmer)
  }

  /** What an error says of itself is text alone. */
  #blocks(): readonly SkimmedBlock[] {
    const count = this.kind === 'error' ? 0 : this.#skimmer.blockCount(this.#row)
    return Array.from({ length: count }, (_, i) => this.#skimmer.block(this.#row, i))
  }
}

function isCall(kind: number): boolean {
  return kind === at.CALL_BLOCK || kind === at.SERVER_CALL_BLOCK
}

function unique(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))] as readonly string[]
}

type What = Pick<Searchable, 'role' | 'kind' | 'isError'>

function addResults(skimmer: Skimmer, row: number): What {
  const { engine, rows, blocks } = skimmer
  let isError = false
  for (let i = 0; i < skimmer.blockCount(row); i++) {
    const block = skimmer.blockWord(row, i)
    if (blocks[block + at.BLOCK_ERROR] === 1) isError = true
    addValue(skimmer, block, engine.addStrings)
  }
  const details = row * at.ROW_WORDS + at.DETAILS
  if ((rows[details + 1] as number) !== -1) engine.addDetails(rows[details] as number)
  return { role: 'tool', kind: 'tool-result', isError }
}

/** A row with an error object says what it has to say in there, and is rare. */
function addSystem(skimmer: Skimmer, row: number): What | 'left' {
  if (skimmer.has(row, at.HAS_ERROR)) return 'left'
  const content = row * at.ROW_WORDS + at.CONTENT
  if ((skimmer.rows[content + 1] as number) !== -1) skimmer.engine.addText(skimmer.rows[content] as number)
  const isError = skimmer.has(row, at.IS_ERROR_LEVEL)
  return { role: 'system', kind: isError ? 'error' : 'system', isError }
}

function addAnswer(skimmer: Skimmer, row: number): What | 'left' {
  const { engine, blocks } = skimmer
  const isApiError = skimmer.has(row, at.IS_API_ERROR)
  // The texts of an error are one text, and there is only ever one.
  if (isApiError && skimmer.blockCount(row) > 1) return 'left'
  let best: SearchKind | undefined
  let isError = isApiError
  for (let i = 0; i < skimmer.blockCount(row); i++) {
    const block = skimmer.blockWord(row, i)
    const kind = blocks[block + at.BLOCK_KIND]
    if (kind === at.TEXT_BLOCK) {
      addValue(skimmer, block, engine.addText)
      best = 'text'
    } else if (isApiError || kind === at.OTHER_BLOCK) continue
    else if (kind === at.THINKING_BLOCK) {
      addValue(skimmer, block, engine.addText)
      best ??= 'thinking'
    } else {
      const isResult = kind === at.RESULT_BLOCK || kind === at.SERVER_RESULT_BLOCK
      if (isResult && blocks[block + at.BLOCK_ERROR] === 1) isError = true
      addValue(skimmer, block, isResult ? engine.addStrings : engine.addInput)
      if (best !== 'text') best = 'tool'
    }
  }
  return { role: 'assistant', kind: isApiError ? 'error' : (best ?? 'text'), isError }
}

function addValue({ blocks }: Skimmer, block: number, add: (address: number) => void): void {
  if (blocks[block + at.BLOCK_VALUE + 1] !== -1) add(blocks[block + at.BLOCK_VALUE] as number)
}

function filesOf(skimmer: Skimmer): readonly string[] {
  const { engine } = skimmer
  const count = engine.fileCount()
  if (count === 0) return []
  const places = new Int32Array(engine.memory.buffer, engine.filesAt(), count * 2)
  return unique(
    Array.from({ length: count }, (_, i) => skimmer.stringAt(places[2 * i] as number, places[2 * i + 1] as number)),
  )
}

/** The parts of the text at an address, written behind it; those that need more room than a table has are made by `partsOf`. */
function partsAt(skimmer: Skimmer, text: number, length: number): Uint8Array {
  const from = length + at.SLACK
  const room = length * 6 + 65536
  skimmer.scratch(from + room)
  const made = skimmer.engine.parts(text, length, text + from, room)
  if (made !== -1) return skimmer.slice(text + from, made)
  return encoder.encode(partsOf(decoder.decode(skimmer.slice(text, length))))
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
