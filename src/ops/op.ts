import type { ObjectSchema, Schema, Static } from '../core/schema.ts'
import type { Context } from '../history/context.ts'

/** Something one can ask annals for, declared once: the command line makes flags, help and documentation of it. */
export interface Command<I extends ObjectSchema = ObjectSchema, R extends Schema = Schema> {
  readonly name: string
  readonly summary: string
  /** Examples for the help, each a whole command line. */
  readonly examples: readonly string[]
  readonly input: I
  /** Input fields that are given as plain arguments, in order. */
  readonly positional: readonly string[]
  readonly result: R
  /** The group that `annals --help` lists it in. */
  readonly group?: HelpGroup
  /** The group that only `annals help --all` lists it in; a command in no group is plumbing. */
  readonly alsoIn?: HelpGroup
  /** Other commands that are reached from this one: by a flag (`show --tree`) or by its first argument (`keep list`). */
  readonly reaches?: Readonly<Record<string, Reached>>
  /** The field of its result that lists its items, for `--format`; `items` unless it says otherwise. */
  readonly lists?: string
  /** `-word` after its first argument is an argument too, unless it is a flag. */
  readonly takesDashes?: true
  /** What it does with a team store: reads what lies there, works on the store itself, or does so where one is named each time. */
  readonly teamStore?: 'read' | 'itself' | 'named'
}

/** What people want to do, in the order of the help. */
export const HELP_GROUPS = ['Find', 'Read', 'Cost', 'Keep', 'Share', 'Look after'] as const

export type HelpGroup = (typeof HELP_GROUPS)[number]

/** A command that is reached from another, with the arguments that come first; the name that leads there begins with `--` for a flag. */
export interface Reached {
  readonly command: string
  readonly args?: readonly string[]
  readonly summary: string
}

/** A command that works on a library alone: the server makes a route of it, unless it says otherwise. */
export interface Op<I extends ObjectSchema = ObjectSchema, R extends Schema = Schema> extends Command<I, R> {
  /** It changes something that people may miss: the server takes it by POST only. */
  readonly changes?: true
  /** `long` may read every log there is, or all of a long one; `instant` has no time for anything beside its answer. */
  readonly effort?: 'long' | 'instant'
  /** Whether a result is told by the exit code 1: that nothing was found, unless an operation says otherwise. */
  readonly isTrouble?: (result: Static<R>, isStrict: boolean) => boolean
  /** Input that text is made with where the person does not say otherwise. Programs get what they ask for. */
  readonly forPeople?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, boolean | number>>
  /** The server makes no route of it. */
  readonly commandLineOnly?: true
  readonly run: (context: Context, input: Static<I>) => Static<R> | Promise<Static<R>>
  /** Stays and watches: what comes after the first result, one by one, until the signal. */
  readonly follow?: (context: Context, input: Static<I>, signal: AbortSignal) => AsyncIterable<Static<R>>
}

export function defineOp<I extends ObjectSchema, R extends Schema>(op: Op<I, R>): Op<I, R> {
  return op
}
