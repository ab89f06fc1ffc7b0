import type * as Testing from '../../src/testing/index.ts'

/** Something a person wants to know or do on the first day, and how it is done. */
export interface FirstDayTask {
  readonly wants: string
  /** Command lines as they are typed behind `annals`; `$1` is what `takes` found in what the one before printed. */
  readonly steps: readonly Step[]
  /** At most so many commands: more, and the tool is too hard to use. */
  readonly mostCommands: number
  /** All of these must be seen in the end. */
  readonly shows: readonly RegExp[]
  /** What must then be in a file, or must not. */
  readonly file?: { readonly name: string; readonly holds?: string; readonly holdsNot?: string }
}

export interface Step {
  readonly types: string
  readonly takes?: RegExp
}

/** The secret that lies in the made-up history. */
export const SECRET: string
export const FILE_BEFORE: string

/** Writes the history of a made-up developer who has worked yesterday and works now, in the process of this id. */
export function writeFirstDayRoot(
  testing: Pick<typeof Testing, 'log' | 'root' | 'writeDemoRoot'>,
  dir: string,
  now: Date,
  pid: number,
): void

/** The tasks, for someone whose root is `root`. */
export function firstDayTasks(root: string, now: Date): readonly FirstDayTask[]

/** The words of a command line; quotes group. */
export function wordsOf(types: string): readonly string[]
