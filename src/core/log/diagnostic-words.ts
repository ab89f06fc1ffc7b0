import type { DiagnosticCode } from './diagnostic.ts'

/** What an oddity is called, what it means, and what a person can do about it. */
export interface DiagnosticWords {
  readonly name: string
  readonly means: string
  readonly todo: string
}

const NOTHING = 'Nothing: it is read all the same.'

/** The oddities in words for people. */
export const DIAGNOSTIC_WORDS: Readonly<Record<DiagnosticCode, DiagnosticWords>> = {
  BAD_JSON: {
    name: 'A line that is no JSON',
    means: 'Bytes that nobody can read as a record, left by a crash or by another program.',
    todo: 'Look at the line. If a session misses something, an older copy may be in the archive.',
  },
  NOT_AN_OBJECT: {
    name: 'A line that is no record',
    means: 'It is JSON, but not an object: the client writes no such lines.',
    todo: 'Look at the line: another program may have written it.',
  },
  GLUED: { name: 'Two records on one line', means: 'A newline between them is missing.', todo: NOTHING },
  TORN: {
    name: 'A line that was cut off',
    means: 'The client or the machine stopped while it was written.',
    todo: 'Nothing: what is whole of it is read, and the rest was never written.',
  },
  NUL_RUN: {
    name: 'A stretch of empty bytes',
    means: 'A disk that lost power, or a full one, left zeros in the place of text.',
    todo: 'Check the disk if there are many. An older copy may be in the archive.',
  },
  LOSSY_UTF8: {
    name: 'Text that is no UTF-8',
    means: 'Single characters cannot be shown as they were.',
    todo: NOTHING,
  },
  UTF16: {
    name: 'A file in UTF-16',
    means: 'An editor or a shell wrote it in another encoding.',
    todo: 'Save it as UTF-8, so that Claude Code can read it too.',
  },
  DUPLICATE_KEY: {
    name: 'A record that says one thing twice',
    means: 'A name stands twice in one object; the last one counts.',
    todo: NOTHING,
  },
  OVERSIZE: {
    name: 'A line of more than 64 MiB',
    means: 'It is kept by its place and its hash, and not read.',
    todo: 'Nothing: large pictures or outputs make such lines.',
  },
  MISSING_PARENT: {
    name: 'A row whose parent is missing',
    means: 'It is shown after the row before it.',
    todo: NOTHING,
  },
  PARENT_CYCLE: { name: 'Rows that are their own parents', means: 'The circle is cut where it is met.', todo: NOTHING },
  DUPLICATE_UUID: {
    name: 'Two rows with one id',
    means: 'The first one is meant where the id is named.',
    todo: NOTHING,
  },
  BAD_TIMESTAMP: {
    name: 'A time that is none',
    means: 'The row has no place in time; its place in the file is its order.',
    todo: NOTHING,
  },
  TWO_REQUESTS: {
    name: 'One message of two requests',
    means: 'Both are counted, for both were billed.',
    todo: NOTHING,
  },
}
