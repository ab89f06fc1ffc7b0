import { arrayAt, booleanAt, fieldAt, isObject, type JsonObject, objectAt, stringAt } from '../json.ts'

/** The content blocks of a message: a plain string is one text block, and whatever is not an object is passed over. */
export function blocksOf(raw: JsonObject): readonly JsonObject[] {
  return toBlocks(fieldAt(objectAt(raw, 'message'), 'content'))
}

/** The blocks of any `content` field: of a message, or of a tool result. */
export function toBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}

/** The text of a message's text blocks, one below the other. */
export function textOf(raw: JsonObject): string {
  return joinText(blocksOf(raw))
}

export function joinText(blocks: readonly JsonObject[]): string {
  const texts: string[] = []
  for (const block of blocks) {
    const text = stringAt(block, 'text')
    if (stringAt(block, 'type') === 'text' && text !== undefined) texts.push(text)
  }
  return texts.length === 1 ? (texts[0] as string) : texts.join('\n')
}

/** A tool result as it stands in a user row. */
export interface ToolResultBlock {
  readonly toolUseId: string
  readonly isError: boolean
  readonly content: readonly JsonObject[]
}

export function toolResultsOf(raw: JsonObject): readonly ToolResultBlock[] {
  const results: ToolResultBlock[] = []
  for (const block of blocksOf(raw)) {
    if (stringAt(block, 'type') !== 'tool_result') continue
    results.push({
      toolUseId: stringAt(block, 'tool_use_id') ?? '',
      isError: booleanAt(block, 'is_error') ?? false,
      content: toBlocks(fieldAt(block, 'content')),
    })
  }
  return results
}

/** A call of a tool as it stands in an assistant row. */
export interface ToolUseBlock {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

/** The tool calls of an assistant row that the client itself ran (`tool_use`; the API's own tools are apart). */
export function toolUsesOf(raw: JsonObject): readonly ToolUseBlock[] {
  const uses: ToolUseBlock[] = []
  for (const block of blocksOf(raw)) {
    if (stringAt(block, 'type') !== 'tool_use') continue
    const input = objectAt(block, 'input') ?? {}
    uses.push({ id: stringAt(block, 'id') ?? '', name: stringAt(block, 'name') ?? 'unknown', input })
  }
  return uses
}

/** What a person typed, without what an editor or the client wrapped around it. */
export function humanText(raw: JsonObject): string {
  const blocks = blocksOf(raw).filter((block) => !isWrapper(stringAt(block, 'text')))
  return joinText(blocks).trim()
}

function isWrapper(text: string | undefined): boolean {
  return text !== undefined && /^\s*<(ide_opened_file|ide_selection|ide_diagnostics|system-reminder)>/.test(text)
}

/** How many images a message holds. */
export function imageCount(raw: JsonObject): number {
  return blocksOf(raw).filter((block) => stringAt(block, 'type') === 'image').length
}

/** The text of a tagged part, `<name>text</name>`; `undefined` where the tag is missing. */
export function taggedText(text: string, name: string): string | undefined {
  const open = text.indexOf(`<${name}>`)
  if (open === -1) return undefined
  const from = open + name.length + 2
  const close = text.indexOf(`</${name}>`, from)
  return close === -1 ? undefined : text.slice(from, close)
}

/**
 * The first characters of a text as a string of its own. A slice would keep the whole text in memory, and a list of
 * sessions would then hold every log it was made from.
 */
export function preview(text: string, length = 200): string {
  const start = text.trimStart().slice(0, length).replace(HALF_CHARACTER, '')
  return start.length < text.length ? decoder.decode(encoder.encode(start)).trimEnd() : start.trimEnd()
}

/** The first half of a character that the cut went through. */
const HALF_CHARACTER = /[\ud800-\udbff]$/

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The `content` of a row that has it at its top, as system rows do. */
export function topContent(raw: JsonObject): string {
  return stringAt(raw, 'content') ?? joinText(arrayAt(raw, 'content').filter(isObject))
}
