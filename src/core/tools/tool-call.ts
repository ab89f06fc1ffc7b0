import {
  booleanAt,
  fieldAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
  textAt,
} from '../json.ts'
import { joinText, toolResultsOf } from '../log/content.ts'
import type { Static } from '../schema.ts'
import { detailsOf } from './tool-details.ts'
import type { HunkSchema, ToolCallSchema, ToolOutcomeSchema } from './tool-schema.ts'

/** A call of a tool with what came back: all that its meaning is read from. */
export type ToolCall = Readonly<Static<typeof ToolCallSchema>>

/** What came back from a tool. */
export type ToolOutcome = Readonly<Static<typeof ToolOutcomeSchema>>

/** How a call ended: `unanswered` while nothing has come back, `declined` where a person said no before it ran. */
export type Ending = ToolOutcome['outcome']

/** One part of a patch. Its lines begin with `+`, `-` or a space. */
export type Hunk = Readonly<Static<typeof HunkSchema>>

/** The outcome of a call while nothing has come back. */
export const UNANSWERED: ToolOutcome = {
  outcome: 'unanswered',
  result: null,
  isError: null,
  exitCode: null,
  durationMs: null,
  images: 0,
  overflow: null,
  patch: null,
  details: null,
}

/** Reads what came back for a call from the user row that answers it. */
export function outcomeOf(
  name: string,
  toolUseId: string,
  calledAt: string | null,
  row: JsonObject | undefined,
): ToolOutcome {
  if (!row) return UNANSWERED
  const block = toolResultsOf(row).find((result) => result.toolUseId === toolUseId)
  if (!block) return UNANSWERED
  const details = fieldAt(row, 'toolUseResult')
  const text = joinText(block.content)
  const exitCode = name === 'Bash' ? exitCodeOf(text, details, block.isError) : null
  return {
    outcome: endingOf(text, block.isError, exitCode, details),
    result: text,
    isError: block.isError,
    exitCode,
    durationMs: durationOf(details) ?? elapsed(calledAt, stringAt(row, 'timestamp')),
    images: block.content.filter((part) => stringAt(part, 'type') === 'image').length,
    overflow: overflowOf(text, details),
    patch: hunksAt(details, 'structuredPatch'),
    details: detailsOf(name, details),
  }
}

/** How a call ended whose answer is known; `noted` is what the client noted of it. */
export function endingOf(
  text: string,
  isError: boolean,
  exitCode: number | null,
  noted: JsonValue | undefined,
): Ending {
  if (booleanAt(noted, 'interrupted') || booleanAt(noted, 'wasInterrupted')) return 'interrupted'
  if (!isError && (exitCode === null || exitCode === 0)) return 'done'
  if (noted === REJECTED || DECLINED.test(text)) return 'declined'
  return INTERRUPTED.test(text) ? 'interrupted' : 'failed'
}

const REJECTED = 'User rejected tool use'
const DECLINED = /^The user doesn't want to (?:proceed|take this action)/
const INTERRUPTED = /\[Request interrupted by user/

/** The text of an answer as a person reads it, without what the client wraps around errors. */
export function resultText({ result, exitCode }: Pick<ToolOutcome, 'result' | 'exitCode'>): string {
  const text = (result ?? '').replace(/<\/?tool_use_error>/g, '')
  return exitCode === null ? text : text.replace(EXIT_CODE, '')
}

const EXIT_CODE = /^(?:Error: )?Exit code \d+\n*/

function exitCodeOf(text: string, details: unknown, isError: boolean): number | null {
  const told = /^(?:Error: )?Exit code (\d+)/.exec(typeof details === 'string' ? details : text)
  if (told) return Number(told[1])
  const finished = isObject(details) && !isError && !booleanAt(details, 'interrupted')
  // A background task has not ended, and an interpretation stands for a code that was not written down.
  const isKnown = !textAt(details, 'backgroundTaskId') && !textAt(details, 'returnCodeInterpretation')
  return finished && isKnown ? 0 : null
}

/** How long the client noted that a call took. */
export function durationOf(details: unknown): number | undefined {
  const seconds = numberAt(details, 'durationSeconds')
  return (
    numberAt(details, 'durationMs') ??
    numberAt(details, 'totalDurationMs') ??
    (seconds === undefined ? undefined : Math.round(seconds * 1000))
  )
}

/** The time between call and answer, where the client did not note how long the tool took. */
function elapsed(from: string | null, to: string | undefined): number | null {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '')
  return ms >= 0 ? ms : null
}

/** Recorded paths are absolute and of the machine that wrote them: only the name is of use. */
function overflowOf(text: string, details: unknown): string | null {
  const path =
    textAt(details, 'persistedOutputPath') ??
    (text.startsWith('<persisted-output>') ? /saved to: (.+)/.exec(text)?.[1]?.trim() : undefined)
  return path?.split(/[\\/]/).at(-1) ?? null
}

/** The parts of a patch in a field; `null` where there are none. */
export function hunksAt(value: unknown, key: string): readonly Hunk[] | null {
  const hunks = objectsAt(value, key).map((hunk) => ({
    oldStart: numberAt(hunk, 'oldStart') ?? 0,
    oldLines: numberAt(hunk, 'oldLines') ?? 0,
    newStart: numberAt(hunk, 'newStart') ?? 0,
    newLines: numberAt(hunk, 'newLines') ?? 0,
    lines: stringsAt(hunk, 'lines'),
  }))
  return hunks.length > 0 ? hunks : null
}

/** The file a call of a known tool is about. */
export function fileOf(input: JsonObject): string | null {
  return textAt(input, 'file_path') ?? textAt(input, 'notebook_path') ?? textAt(input, 'path') ?? null
}

/** The plan that an `ExitPlanMode` call or its result carries. */
export function planOf(input: JsonObject, row: JsonObject | undefined): string | null {
  return textAt(input, 'plan') ?? textAt(row && objectAt(row, 'toolUseResult'), 'plan') ?? null
}
