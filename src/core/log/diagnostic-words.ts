import type { DiagnosticCode } from './diagnostic.ts'

/** What an oddity is called, what it means, and what a person can do about it. */
export interface DiagnosticWords {
  readonly name: string
  readonly means: string
  readonly todo: string
}

const NOTHING = 'Nothing: it is read anyway.'

/** The oddities in words for people. */
export const DIAGNOSTIC_WORDS: Readonly<Record<DiagnosticCode, DiagnosticWords>> = {
  BAD_JSON: {
    name: 'A line that is not JSON',
    means: 'Bytes that are not a record, left by a crash or by another program.',
    todo: 'Look at the line. If something is missing from a session, the archive may have an older copy.',
  },
  NOT_AN_OBJECT: {
    name: 'A line that is not a record',
    means: 'It is JSON, but not an object: Claude Code does not write such lines.',
    todo: 'Look at the line: another program may have written it.',
  },
  GLUED: { name: 'Two records on one line', means: 'A newline between them is missing.', todo: NOTHING },
  TORN: {
    name: 'A line that was cut off',
    means: 'The client or the machine stopped while it was written.',
    todo: 'Nothing: what was written is read.',
  },
  NUL_RUN: {
    name: 'A stretch of empty bytes',
    means: 'A disk that lost power, or a full one, left zeros instead of text.',
    todo: 'Check the disk if there are many. An older copy may be in the archive.',
  },
  LOSSY_UTF8: {
    name: 'Text that is not UTF-8',
    means: 'Single characters cannot be shown as they were.',
    todo: NOTHING,
  },
  UTF16: {
    name: 'A file in UTF-16',
    means: 'An editor or a shell wrote it in another encoding.',
    todo: 'Save it as UTF-8, so that Claude Code can read it too.',
  },
  DUPLICATE_KEY: {
    name: 'A record with the same key twice',
    means: 'A key occurs twice in one object; the last one counts.',
    todo: NOTHING,
  },
  OVERSIZE: {
    name: 'A line of more than 64 MiB',
    means: 'Its place and its hash are kept; it is not read.',
    todo: 'Nothing: large pictures or outputs make such lines.',
  },
  TOO_DEEP: {
    name: 'A record nested too deep',
    means: 'Below 1,024 levels its values are not read; the bytes of the line stay as they are.',
    todo: 'Nothing: `annals record` shows the line as it was written.',
  },
  MISSING_PARENT: {
    name: 'A row whose parent is missing',
    means: 'It is shown after the row before it.',
    todo: NOTHING,
  },
  PARENT_CYCLE: { name: 'A loop of parents', means: 'The loop is cut where it is found.', todo: NOTHING },
  DUPLICATE_UUID: {
    name: 'Two rows with one id',
    means: 'The id stands for the first one.',
    todo: NOTHING,
  },
  BAD_TIMESTAMP: {
    name: 'A timestamp that is not a time',
    means: 'The row is ordered by its place in the file.',
    todo: NOTHING,
  },
  TWO_REQUESTS: {
    name: 'Two requests with one message id',
    means: 'Both are counted, because both were billed.',
    todo: NOTHING,
  },
}
