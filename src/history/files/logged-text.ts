import { parseJson } from '../../core/json.ts'
import { EditedContent } from '../../core/tools/edited-content.ts'
import type { Replacement } from '../../core/tools/file-edit.ts'
import type { FileContent } from '../../core/tools/file-touch.ts'
import type { Hunk } from '../../core/tools/tool-call.ts'
import { fileDiff } from '../../core/tools/tool-diff.ts'

/**
 * A long text as it stands in a row of a log, escaped. Whether one edit led from one such text to the next is seen by their bytes, so
 * that a file of many lines with many edits is not decoded once for each; a text is read again when somebody asks for it.
 */
export class LoggedText implements FileContent {
  readonly isBase64 = false
  readonly #read: () => Uint8Array | undefined
  #bytes: Uint8Array | undefined
  /** What was last asked: both texts are at hand when the second is read, and may not be when they are asked for again. */
  #judged: { readonly edit: EditedContent['edit']; readonly isSame: boolean | undefined } | undefined

  /** `read` gives the bytes between the quotes, which whoever makes it may have at hand. */
  constructor(read: () => Uint8Array | undefined, bytes?: Uint8Array) {
    this.#read = read
    this.#bytes = bytes && this.#hold(bytes)
  }

  get text(): string {
    const value = parseJson(`"${DECODER.decode(this.bytes())}"`)
    return typeof value === 'string' ? value : ''
  }

  bytes(): Uint8Array {
    this.#bytes ??= this.#hold(this.#read() ?? new Uint8Array())
    return this.#bytes
  }

  /** Texts are compared with those next to them: only the last ones are held. */
  #hold(bytes: Uint8Array): Uint8Array {
    held.push(this)
    const oldest = held.length > MOST_HELD ? held.shift() : undefined
    if (oldest) oldest.#bytes = undefined
    return bytes
  }

  isSame(other: FileContent): boolean | undefined {
    if (other instanceof LoggedText) return Buffer.compare(this.bytes(), other.bytes()) === 0
    if (!(other instanceof EditedContent) || !(other.base instanceof LoggedText)) return undefined
    if (this.#judged?.edit !== other.edit)
      this.#judged = { edit: other.edit, isSame: this.#isEdited(other, other.base) }
    return this.#judged.isSame
  }

  #isEdited({ edit }: EditedContent, base: LoggedText): boolean | undefined {
    const [only, ...others] = edit.replacements
    if (!only || only.isAll || others.length > 0 || !isAsLong(only, edit.patch)) return undefined
    return isEdited(base.bytes(), this.bytes(), only) || undefined
  }
}

// A byte order mark belongs to the text.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
const held: LoggedText[] = []
const MOST_HELD = 3

/** Whether the texts of an edit and its patch agree on how many lines there are more or fewer. */
function isAsLong({ oldText, newText }: Replacement, patch: readonly Hunk[] | null): boolean {
  if (patch === null) return false
  const { added, removed } = fileDiff(patch, true)
  const ends = (text: string) => text.split('\n').length
  return added - removed === ends(newText) - ends(oldText)
}

/** Whether one text is the other with some text of it replaced, at the place where they differ. */
function isEdited(before: Uint8Array, after: Uint8Array, { oldText, newText }: Replacement): boolean {
  const [taken, put] = [escaped(oldText), escaped(newText)]
  if (taken.length === 0 || after.length - before.length !== put.length - taken.length) return false
  const start = commonStart(before, after)
  if (start === before.length && start === after.length) return oldText === newText
  const end = commonEnd(before, after)
  // Both sides of the replaced text are the same; it may begin before the first byte that differs.
  const from = Math.max(0, before.length - end - taken.length)
  const searched = Buffer.from(before.buffer, before.byteOffset, before.length)
  for (let at = searched.indexOf(taken, from); at !== -1 && at <= start; at = searched.indexOf(taken, at + 1)) {
    if (Buffer.compare(after.subarray(at, at + put.length), put) === 0) return true
  }
  return false
}

function escaped(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1))
}

const STEP = 64 * 1024

/** How many bytes two texts begin with alike. */
function commonStart(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  for (let step = STEP; step > 0; step = Math.floor(step / 16)) {
    while (at + step <= most && Buffer.compare(a.subarray(at, at + step), b.subarray(at, at + step)) === 0) at += step
  }
  return at
}

/** How many they end with alike. */
function commonEnd(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  const isSame = (to: number) =>
    Buffer.compare(a.subarray(a.length - to, a.length - count), b.subarray(b.length - to, b.length - count)) === 0
  for (let step = STEP; step > 0; step = Math.floor(step / 16)) {
    while (count + step <= most && isSame(count + step)) count += step
  }
  return count
}
