import type { Replacement } from './file-edit.ts'
import type { Hunk } from './tool-call.ts'

/** What a file holds: its text, or its bytes in base64 where they are none. */
export interface FileContent {
  readonly text: string
  readonly isBase64: boolean
  /** Of a long text that is read only when it is asked for: whether another is the same; `undefined` where only reading both tells. */
  readonly isSame?: (other: FileContent) => boolean | undefined
}

/** A file as somebody saw or left it: `null` where there was none, `undefined` where that is not known. */
export type Seen = FileContent | null | undefined

/** Something that a session did to a file, or learned of it. */
export type FileTouch =
  /** It was written whole. */
  | { readonly kind: 'write'; readonly before: Seen; readonly after: Seen; readonly patch?: readonly Hunk[] }
  | {
      readonly kind: 'edit'
      readonly before: Seen
      readonly replacements: readonly Replacement[]
      readonly patch: readonly Hunk[] | null
    }
  /** Some of its lines were read, or all. */
  | { readonly kind: 'read'; readonly text: string; readonly firstLine: number; readonly isWhole: boolean }
  /** It was copied as it stood; `undefined` where the copy is gone. `isAtChange`: as a call was about to change it. */
  | { readonly kind: 'checkpoint'; readonly content: Seen; readonly isAtChange?: boolean }
  /** A command moved it here, or removed it from here. */
  | { readonly kind: 'move' }
  | { readonly kind: 'remove' }
  /** A command ran, which may have changed it; `isNamed` where its text names the file. */
  | { readonly kind: 'command'; readonly isNamed: boolean }

/** A text as content. */
export function textContent(text: string): FileContent {
  return { text, isBase64: false }
}
