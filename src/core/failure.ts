/** The errors we foresee. Anything else that is thrown is a bug. */
export type FailureCode =
  | 'USAGE'
  | 'NO_ROOT'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_AMBIGUOUS'
  | 'NOT_FOUND'
  | 'BAD_INPUT'
  | 'CANNOT_WRITE'
  | 'CANNOT_RUN'

/** Something went wrong that we foresaw: a whole sentence for the person, and what to do next. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly hint: string | undefined

  constructor(code: FailureCode, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.hint = options.hint
  }
}
