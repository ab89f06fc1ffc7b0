import { booleanAt, fieldAt, isObject, type JsonObject, objectAt, textAt } from '../json.ts'
import type { Searchable, SearchKind, SearchRole } from './searchable.ts'

/** How much text of one record is searched, in UTF-16 units. */
export const MAX_SEARCHABLE = 2 * 1024 * 1024

/** Fields whose text is for machines: pictures, signatures, encrypted pages, and what a block is. */
const UNREAD: ReadonlySet<string> = new Set(
  'base64 cache_control data encrypted_content encrypted_index encrypted_stdout media_type signature tool_use_id type'.split(
    ' ',
  ),
)

const FILE_FIELDS = ['file_path', 'notebook_path', 'path', 'filePath']
const MAX_DEPTH = 64

/** Gathers the texts of one record up to the limit. */
export class GatheredText {
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
