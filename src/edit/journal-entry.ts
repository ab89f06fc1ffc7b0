import { arrayAt, isObject, type JsonValue, numberAt, objectAt, parseJson, stringAt, textAt } from '../core/json.ts'
import { readCursor } from '../disk/cursor.ts'
import type { EditedSession, EditName } from './plan.ts'
import type { Seen } from './seen.ts'
import type { AppendStep, CutStep, FolderStep, MoveStep, RemoveStep, WriteStep } from './step.ts'

/** An edit as it is written down: what it was about, what each step found and left, and how far it came. */
export interface JournalEntry {
  readonly id: string
  readonly name: EditName
  readonly summary: string
  /** ISO time. */
  readonly at: string
  /** `ready`: all that a `forward` edit writes lies beside its place. */
  readonly state: 'begun' | 'ready' | 'done'
  readonly direction: 'back' | 'forward'
  readonly undoes: string | null
  readonly sessions: readonly EditedSession[]
  readonly steps: readonly WrittenStep[]
}

/** A step as it is written down, with all that takes it back. Names of backups are those of files beside the journal. */
export type WrittenStep =
  | WithText<AppendStep>
  | WithText<CutStep>
  | (Omit<WriteStep, 'content' | 'rows'> & { readonly after: Seen; readonly backup: string | null })
  | (RemoveStep & { readonly backup: string })
  | MoveStep
  | FolderStep

/** Bytes stand in a journal as base64. */
type WithText<S extends { readonly bytes: Uint8Array }> = Omit<S, 'bytes'> & { readonly bytes: string }

const FORMAT = 'annals-edit'
const VERSION = 1

/** The text of a journal. */
export function writeEntry(entry: JournalEntry): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...entry })}\n`
}

/** Reads a journal; `undefined` for what is none of ours. */
export function readEntry(text: string): JournalEntry | undefined {
  const value = parseJson(text)
  if (stringAt(value, 'format') !== FORMAT || numberAt(value, 'version') !== VERSION) return undefined
  const steps = arrayAt(value, 'steps').map(readStep)
  const sessions = arrayAt(value, 'sessions').map((one) => ({
    id: stringAt(one, 'id') ?? '',
    root: stringAt(one, 'root') ?? '',
    log: stringAt(one, 'log') ?? '',
  }))
  const state = stringAt(value, 'state')
  const id = textAt(value, 'id')
  if (id === undefined || (state !== 'begun' && state !== 'ready' && state !== 'done') || steps.includes(undefined)) {
    return undefined
  }
  return {
    id,
    name: stringAt(value, 'name') as EditName,
    summary: stringAt(value, 'summary') ?? '',
    at: stringAt(value, 'at') ?? '',
    state,
    direction: stringAt(value, 'direction') === 'forward' ? 'forward' : 'back',
    undoes: textAt(value, 'undoes') ?? null,
    sessions,
    steps: steps as WrittenStep[],
  }
}

function readStep(value: JsonValue): WrittenStep | undefined {
  const action = stringAt(value, 'action')
  const path = textAt(value, 'path')
  if (path === undefined) return undefined
  const before = seenAt(value, 'before')
  const mode = numberAt(value, 'mode') ?? 0o600
  const bytes = stringAt(value, 'bytes') ?? ''
  const modifiedAt = numberAt(value, 'modifiedAt') ?? null
  switch (action) {
    case 'append':
      return before && { action, path, before, bytes }
    case 'cut':
      return before && { action, path, before, bytes, modifiedAt: modifiedAt ?? 0 }
    case 'write': {
      const after = seenAt(value, 'after')
      const backup = textAt(value, 'backup') ?? null
      return after && { action, path, before: before ?? null, after, backup, mode, modifiedAt }
    }
    case 'remove': {
      const backup = textAt(value, 'backup')
      return before && backup !== undefined ? { action, path, before, backup } : undefined
    }
    case 'move': {
      const to = textAt(value, 'to')
      return to === undefined ? undefined : { action, path, to }
    }
    case 'make-folder':
    case 'remove-folder':
      return { action, path, mode }
    default:
      return undefined
  }
}

function seenAt(value: JsonValue, key: string): Seen | undefined {
  const seen = objectAt(value, key)
  const cursor = isObject(seen) ? readCursor(seen.cursor) : undefined
  return cursor && { cursor, mode: numberAt(seen, 'mode') ?? 0o600 }
}
