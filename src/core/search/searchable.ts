import { booleanAt, fieldAt, isObject, type JsonObject, objectAt, stringAt, textAt } from '../json.ts'
import { blocksOf, humanText, joinText, taggedText, textOf, toBlocks, topContent } from '../log/content.ts'
import type { LogRecord } from '../log/record.ts'
import { commandOf, expansionOf, isTreeType, queuedText, type RowKind, rowKind } from '../log/row-kind.ts'

/** Who said it. */
export type SearchRole = 'user' | 'assistant' | 'tool' | 'system'

/** What it is. A response is known by the best of its blocks: text, then a call, then thinking. */
export type SearchKind =
  | 'prompt'
  | 'command'
  | 'command-output'
  | 'bash'
  | 'bash-output'
  | 'automated'
  | 'notification'
  | 'compact-summary'
  | 'text'
  | 'thinking'
  | 'tool'
  | 'tool-result'
  | 'error'
  | 'attachment'
  | 'system'
  | 'title'

/**
 * What of a record is searched. Within a line of it, everything stands as one piece in one string of the record, so that a
 * search over the raw bytes finds the same.
 */
export interface Searchable {
  readonly role: SearchRole
  readonly kind: SearchKind
  readonly text: string
  /** The record holds more than `MAX_SEARCHABLE` of text; the rest is not searched. */
  readonly isCut: boolean
  /** Names of the tools that the record calls. */
  readonly tools: readonly string[]
  /** The calls that the record makes or answers, by which an answer finds its tool. */
  readonly toolUseIds: readonly string[]
  readonly files: readonly string[]
  readonly isError: boolean
}

/** How much text of one record is searched, in UTF-16 units. */
export const MAX_SEARCHABLE = 2 * 1024 * 1024

/** The searched text of a record and what filters need to know of it; `undefined` where there is nothing to be found. */
export function searchableText(record: LogRecord): Searchable | undefined {
  const found = new Gathered()
  const type = record.type
  const what = isTreeType(type) ? gatherRow(record.raw, rowKind(record.raw, type), found) : gatherTitle(record, found)
  return what && found.finish(what[0], what[1])
}

type What = readonly [role: SearchRole, kind: SearchKind]

/** Records beside the tree that a person named something in. Copies of prompts and the client's own state are not among them. */
function gatherTitle({ raw, type }: LogRecord, found: Gathered): What | undefined {
  const field = TITLE_FIELDS.get(type ?? '')
  if (field === undefined) return undefined
  found.add(stringAt(raw, field))
  return ['system', 'title']
}

const TITLE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['summary', 'summary'],
  ['custom-title', 'customTitle'],
  ['ai-title', 'aiTitle'],
  ['agent-name', 'agentName'],
  ['tag', 'tag'],
  ['task-summary', 'summary'],
  ['pr-link', 'prUrl'],
])

function gatherRow(raw: JsonObject, kind: RowKind, found: Gathered): What | undefined {
  const type = stringAt(raw, 'type')
  const spoken = type === 'attachment' ? queuedText(raw) : type === 'system' ? topContent(raw) : humanText(raw)
  switch (kind) {
    case 'prompt':
    case 'queued-prompt':
      found.add(spoken)
      return ['user', 'prompt']
    case 'command': {
      const command = commandOf(spoken)
      found.add(command?.name)
      found.add(command?.args)
      return ['user', 'command']
    }
    case 'bash-input':
      found.add(taggedText(spoken, 'bash-input') ?? spoken)
      return ['user', 'bash']
    case 'command-output':
    case 'bash-output': {
      const text = type === 'system' ? topContent(raw) : textOf(raw)
      for (const tag of OUTPUT_TAGS) found.add(taggedText(text, tag))
      return ['system', kind]
    }
    case 'automated':
    case 'notification':
      found.add(spoken)
      return ['system', kind]
    case 'compact-summary':
      found.add(textOf(raw))
      return ['system', kind]
    case 'meta':
      found.add(expansionOf(raw))
      return ['system', 'command']
    case 'api-error':
      found.isError = true
      found.add(textOf(raw))
      return ['assistant', 'error']
    case 'response':
    case 'synthetic':
      return ['assistant', gatherResponse(raw, found)]
    case 'tool-result':
      gatherResults(raw, found)
      return ['tool', kind]
    case 'attachment':
      return gatherAttachment(raw, found)
    case 'system':
      return gatherSystem(raw, found)
    default:
      // Markers, what the client says to the model, and progress, whose rows are copies.
      return undefined
  }
}

const OUTPUT_TAGS = ['local-command-stdout', 'local-command-stderr', 'bash-stdout', 'bash-stderr']

function gatherResponse(raw: JsonObject, found: Gathered): SearchKind {
  let best: SearchKind | undefined
  for (const block of blocksOf(raw)) {
    const type = stringAt(block, 'type') ?? ''
    if (type === 'text') {
      found.add(stringAt(block, 'text'))
      best = 'text'
    } else if (type === 'thinking') {
      found.add(stringAt(block, 'thinking'))
      best ??= 'thinking'
    } else if (type.endsWith('tool_use')) {
      found.addCall(block)
      if (best !== 'text') best = 'tool'
    } else if (type.endsWith('tool_result')) {
      found.addResult(block)
      if (best !== 'text') best = 'tool'
    }
  }
  return best ?? 'text'
}

function gatherResults(raw: JsonObject, found: Gathered): void {
  const details = fieldAt(raw, 'toolUseResult')
  for (const block of blocksOf(raw)) {
    const type = stringAt(block, 'type')
    if (type === 'tool_result') found.addResult(block)
    else if (type === 'text') found.add(stringAt(block, 'text'))
  }
  found.addFile(textAt(details, 'filePath') ?? textAt(objectAt(details, 'file'), 'filePath'))
  // Of an output too large for the row, the row holds only a preview; the details have more of it.
  if (textAt(details, 'persistedOutputPath')) {
    found.add(stringAt(details, 'stdout'))
    found.add(stringAt(details, 'stderr'))
  }
}

function gatherSystem(raw: JsonObject, found: Gathered): What | undefined {
  const error = objectAt(raw, 'error')
  found.isError = error !== undefined || stringAt(raw, 'level') === 'error'
  found.add(topContent(raw) || (textAt(error, 'formatted') ?? textAt(error, 'message')))
  return ['system', found.isError ? 'error' : 'system']
}

/** What a person attached, and what a hook objected to. The rest is what the client tells the model. */
function gatherAttachment(raw: JsonObject, found: Gathered): What | undefined {
  const attachment = objectAt(raw, 'attachment')
  const subtype = stringAt(attachment, 'type') ?? ''
  if (GIVEN.has(subtype)) {
    found.addFile(textAt(attachment, 'filename') ?? textAt(attachment, 'path'))
    found.addStrings(attachment)
    return ['user', 'attachment']
  }
  if (!isSearchedAttachment(subtype)) return undefined
  found.isError = subtype.endsWith('_error')
  found.add(textAt(objectAt(attachment, 'blockingError'), 'blockingError'))
  found.add(joinText(toBlocks(fieldAt(attachment, 'content'))))
  found.add(textAt(attachment, 'stderr'))
  return ['system', 'attachment']
}

/** Whether there is anything to be found in attachments of a type. */
export function isSearchedAttachment(subtype: string): boolean {
  return GIVEN.has(subtype) || (subtype.startsWith('hook_') && subtype !== 'hook_success')
}

const GIVEN: ReadonlySet<string> = new Set(
  'file directory edited_text_file edited_image_file pdf_reference selected_lines_in_ide opened_file_in_ide mcp_resource'.split(
    ' ',
  ),
)

/** Fields whose text is for machines: pictures, signatures, encrypted pages, and what a block is. */
const UNREAD: ReadonlySet<string> = new Set(
  'base64 cache_control data encrypted_content encrypted_index encrypted_stdout media_type signature tool_use_id type'.split(
    ' ',
  ),
)

const FILE_FIELDS = ['file_path', 'notebook_path', 'path', 'filePath']
const MAX_DEPTH = 64

/** Gathers the texts of one record up to the limit. */
class Gathered {
  isError = false
  #length = 0
  #isCut = false
  readonly #texts: string[] = []
  readonly #tools = new Set<string>()
  readonly #ids = new Set<string>()
  readonly #files = new Set<string>()

  finish(role: SearchRole, kind: SearchKind): Searchable | undefined {
    if (this.#texts.length === 0) return undefined
    return {
      role,
      kind,
      text: this.#texts.length === 1 ? (this.#texts[0] as string) : this.#texts.join('\n'),
      isCut: this.#isCut,
      tools: [...this.#tools],
      toolUseIds: [...this.#ids],
      files: [...this.#files],
      isError: this.isError,
    }
  }

  add(text: string | undefined): void {
    if (!text) return
    const room = MAX_SEARCHABLE - this.#length
    if (text.length > room) this.#isCut = true
    if (room <= 0) return
    // A NUL ends a text in SQLite's driver and in ripgrep's frames.
    const kept = withoutBlobs(text.length > room ? cutAt(text, room) : text).replaceAll('\0', '\n')
    if (kept.trim() === '') return
    // The newline that will stand before the next text counts too.
    this.#length += kept.length + 1
    this.#texts.push(kept)
  }

  addFile(path: string | undefined): void {
    if (path) this.#files.add(path)
  }

  addCall(block: JsonObject): void {
    const input = objectAt(block, 'input')
    const name = textAt(block, 'name')
    const id = textAt(block, 'id')
    if (name) this.#tools.add(name)
    if (id) this.#ids.add(id)
    for (const field of FILE_FIELDS) this.addFile(textAt(input, field))
    this.addStrings(input, NOTHING)
  }

  addResult(block: JsonObject): void {
    const id = textAt(block, 'tool_use_id')
    if (id) this.#ids.add(id)
    if (booleanAt(block, 'is_error')) this.isError = true
    this.addStrings(fieldAt(block, 'content'))
  }

  /** Every string of a value in its order, without recursion: the depth of a value is not ours to trust. */
  addStrings(value: unknown, unread: ReadonlySet<string> = UNREAD): void {
    const rest: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
    for (let next = rest.pop(); next; next = rest.pop()) {
      const { value, depth } = next
      if (typeof value === 'string') this.add(value)
      else if (depth === MAX_DEPTH && typeof value === 'object' && value !== null) this.#isCut = true
      else if (Array.isArray(value)) {
        for (let i = value.length - 1; i >= 0; i--) rest.push({ value: value[i], depth: depth + 1 })
      } else if (isObject(value)) {
        for (const key of Object.keys(value).reverse()) {
          if (!unread.has(key)) rest.push({ value: value[key], depth: depth + 1 })
        }
      }
    }
  }
}

const NOTHING: ReadonlySet<string> = new Set()

function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/** So many characters of base64 in a row are a picture, an archive or a key, and no word. */
const BLOB = 512

/** A text with its base64 left out. A run that long covers a multiple of its least length, so only those are looked at. */
function withoutBlobs(text: string): string {
  const kept: string[] = []
  let done = 0
  for (let at = BLOB - 1; at < text.length; at += BLOB) {
    if (at < done || !isBase64(text.charCodeAt(at))) continue
    let from = at
    while (from > done && isBase64(text.charCodeAt(from - 1))) from--
    let to = at + 1
    while (to < text.length && isBase64(text.charCodeAt(to))) to++
    if (to - from < BLOB) continue
    kept.push(text.slice(done, from))
    done = to
  }
  return done === 0 ? text : [...kept, text.slice(done)].join('\n')
}

function isBase64(code: number): boolean {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2f || code === 0x3d
}
