import {
  arrayAt,
  fieldAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  stringAt,
  textAt,
} from '../core/json.ts'
import type { Place } from '../core/log/place.ts'
import { timeAt } from './small-file.ts'
import { type FileBeside, filesBeside, type OpenFiles, textFile } from './source-file.ts'
import type { Warning } from './warning.ts'

/** A prompt as it was typed, from the history file. */
export interface Prompt {
  /** What was typed, with placeholders such as `[Pasted text #1 +39 lines]`. */
  readonly text: string
  /** The text with what was pasted in its place; a placeholder whose text is gone stays. */
  readonly expanded: string
  readonly timestamp: string | null
  readonly project: string | null
  readonly sessionId: string | null
  readonly pastes: readonly Paste[]
}

/** Something pasted into a prompt. Images are never kept in the history: they have a placeholder only. */
export interface Paste {
  readonly id: number | null
  readonly type: string | null
  /** The pasted text, from the line itself or from the paste cache; `null` when it is gone. */
  readonly content: string | null
  /** Its name in the paste cache. */
  readonly hash: string | null
}

/** Finds a pasted text by its hash. */
export type PasteCache = (hash: string) => string | undefined

/** Reads the records of a history file one by one; a record without a prompt is a warning. */
export function* readPrompts(
  records: Iterable<{ readonly raw: JsonObject; readonly place: Place }>,
  pasteCache: PasteCache,
  warnings: Warning[] = [],
): Generator<Prompt> {
  for (const { raw, place } of records) {
    const text = stringAt(raw, 'display')
    if (text === undefined) {
      warnings.push({ file: place.file, message: `Line ${place.line} has no prompt ("display").` })
      continue
    }
    yield {
      ...withPastes(text, raw, pasteCache),
      timestamp: timeAt(raw, 'timestamp'),
      project: textAt(raw, 'project') ?? null,
      sessionId: textAt(raw, 'sessionId') ?? null,
    }
  }
}

/** The prompts that 1.0 kept in the global config, in its order. Reads no other field of that sensitive file. */
export function legacyPrompts(config: JsonObject): readonly Prompt[] {
  const projects = objectAt(config, 'projects') ?? {}
  return Object.keys(projects).flatMap((project) =>
    arrayAt(fieldAt(projects, project), 'history').flatMap((entry) => {
      const text = typeof entry === 'string' ? entry : stringAt(entry, 'display')
      if (text === undefined) return []
      const pasted = withPastes(text, entry, () => undefined)
      return [{ ...pasted, timestamp: timeAt(entry, 'timestamp'), project, sessionId: null }]
    }),
  )
}

/** The paste cache of a root, listed when it is first asked for something. */
export function openPasteCache(open: OpenFiles, root: string, warnings: Warning[] = []): PasteCache {
  let files: ReadonlyMap<string, FileBeside> | undefined
  return (hash) => {
    // By what is listed: a hash comes from a log, and never becomes a path.
    files ??= new Map(filesBeside(open, isPaste, (file) => (file.entry.root === root ? [[pasteName(file), file]] : [])))
    const file = files.get(hash)
    return file && textFile(file, warnings)?.text
  }
}

/** A test for the paths of pasted texts. */
export function isPaste(path: string): boolean {
  return path === 'paste-cache/' || /^paste-cache\/[^/]+\.txt$/.test(path)
}

function pasteName({ parts }: FileBeside): string {
  return (parts[1] ?? '').slice(0, -'.txt'.length)
}

const PLACEHOLDER = /\[(?:\.\.\.)?(Pasted text|Truncated text|Image) #(\d+)(?: \+\d+ lines?)?(?:\.\.\.)?\]/g

function withPastes(
  text: string,
  entry: unknown,
  pasteCache: PasteCache,
): Pick<Prompt, 'text' | 'expanded' | 'pastes'> {
  const pastes = pastesOf(entry, pasteCache)
  const contents = new Map(pastes.map((paste) => [paste.id, paste.content]))
  const expanded = text.replace(PLACEHOLDER, (placeholder: string, kind: string, digits: string) => {
    if (kind === 'Image') return placeholder
    return contents.get(Number(digits)) ?? placeholder
  })
  return { text, expanded, pastes }
}

function pastesOf(entry: unknown, pasteCache: PasteCache): Paste[] {
  const pasted = fieldAt(entry, 'pastedContents')
  if (typeof pasted !== 'object' || pasted === null) return []
  return Object.entries(pasted).flatMap(([key, value]) => toPaste(key, value, pasteCache))
}

function toPaste(key: string, value: JsonValue | undefined, pasteCache: PasteCache): Paste[] {
  const id = /^\d+$/.test(key) ? Number(key) : null
  if (typeof value === 'string') return [{ id, type: 'text', content: value, hash: null }]
  if (!isObject(value)) return []
  const hash = textAt(value, 'contentHash') ?? null
  const content = stringAt(value, 'content') ?? (hash === null ? undefined : pasteCache(hash))
  return [
    {
      id: numberAt(value, 'id') ?? id,
      type: textAt(value, 'type') ?? null,
      content: content ?? null,
      hash,
    },
  ]
}
