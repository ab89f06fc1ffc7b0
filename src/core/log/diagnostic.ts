import type { Place } from './place.ts'

/** What can be odd about a log. `DUPLICATE_KEY` is looked for by `check` alone. */
export type DiagnosticCode =
  | 'BAD_JSON'
  | 'NOT_AN_OBJECT'
  | 'GLUED'
  | 'TORN'
  | 'NUL_RUN'
  | 'LOSSY_UTF8'
  | 'UTF16'
  | 'DUPLICATE_KEY'
  | 'OVERSIZE'
  | 'TOO_DEEP'
  | 'MISSING_PARENT'
  | 'PARENT_CYCLE'
  | 'DUPLICATE_UUID'
  | 'BAD_TIMESTAMP'
  | 'TWO_REQUESTS'

/** Something odd in the data, with its place. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly message: string
  readonly place: Place
  /** True when a record owns the bytes it points at, so nothing is lost; otherwise the diagnostic owns them itself. */
  readonly salvaged: boolean
}

/** A result and what was odd on the way to it. */
export interface Read<T> {
  readonly value: T
  readonly diagnostics: readonly Diagnostic[]
}
