import type { Seen } from './seen.ts'

/** One change of one file or folder. */
export type Step = AppendStep | CutStep | WriteStep | RemoveStep | MoveStep | FolderStep

/** Whole lines after the last one of a log. */
export interface AppendStep {
  readonly action: 'append'
  readonly path: string
  readonly before: Seen
  readonly bytes: Uint8Array
}

/** Takes back what was appended: the bytes at the end of a file. */
export interface CutStep {
  readonly action: 'cut'
  readonly path: string
  readonly before: Seen
  readonly bytes: Uint8Array
  /** When the file was written last, before these bytes were appended. */
  readonly modifiedAt: number
}

/** A new file, or a new content for one. */
export interface WriteStep {
  readonly action: 'write'
  readonly path: string
  /** `null` where nothing must stand there yet. */
  readonly before: Seen | null
  readonly content: () => Uint8Array
  readonly mode: number
  /** When it shall seem to have been written last; `null` for now. */
  readonly modifiedAt: number | null
  /** How many rows of a log differ. */
  readonly rows?: number
}

export interface RemoveStep {
  readonly action: 'remove'
  readonly path: string
  readonly before: Seen
}

/** A file, or a folder with all that is in it, under another name. */
export interface MoveStep {
  readonly action: 'move'
  readonly path: string
  readonly to: string
}

export interface FolderStep {
  readonly action: 'make-folder' | 'remove-folder'
  readonly path: string
  readonly mode: number
}

/** A step as a person reads it before it is done. */
export interface PlannedStep {
  readonly file: string
  readonly action: Step['action']
  /** Bytes that are written, removed or moved; of a folder none. */
  readonly bytes: number
  /** Rows of a log that are added, removed or changed. */
  readonly rows: number | null
  /** Where a moved one goes. */
  readonly to: string | null
}

/** Says what a step will do. */
export function plannedStep(step: Step): PlannedStep {
  const { path: file, action } = step
  const to = action === 'move' ? step.to : null
  switch (action) {
    case 'append':
    case 'cut':
      return { file, action, bytes: step.bytes.length, rows: rowsIn(step.bytes), to }
    case 'write':
      return { file, action, bytes: step.content().length, rows: step.rows ?? null, to }
    case 'remove':
      return { file, action, bytes: step.before.cursor.sizeBytes, rows: null, to }
    default:
      return { file, action, bytes: 0, rows: null, to }
  }
}

function rowsIn(bytes: Uint8Array): number {
  return new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line !== '').length
}
