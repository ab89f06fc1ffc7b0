import { joinText, toolResultsOf } from './content.ts'
import {
  booleanAt,
  fieldAt,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
  textAt,
} from './json.ts'

/** What came back from a tool. */
export interface ToolOutcome {
  /** The text the model was given; `null` where nothing came back. */
  readonly result: string | null
  readonly isError: boolean | null
  readonly exitCode: number | null
  readonly durationMs: number | null
  readonly images: number
  /** Name of the file in the session's `tool-results/` that holds the whole of an output too large for the log. */
  readonly overflow: string | null
  /** What an edit changed. */
  readonly patch: readonly Hunk[] | null
}

/** One part of a patch. Its lines begin with `+`, `-` or a space. */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

const NOTHING_BACK: ToolOutcome = {
  result: null,
  isError: null,
  exitCode: null,
  durationMs: null,
  images: 0,
  overflow: null,
  patch: null,
}

/** Reads what came back for a call from the user row that answers it. */
export function outcomeOf(
  name: string,
  toolUseId: string,
  calledAt: string | null,
  row: JsonObject | undefined,
): ToolOutcome {
  if (!row) return NOTHING_BACK
  const block = toolResultsOf(row).find((result) => result.toolUseId === toolUseId)
  if (!block) return NOTHING_BACK
  const details = fieldAt(row, 'toolUseResult')
  const text = joinText(block.content)
  return {
    result: text,
    isError: block.isError,
    exitCode: name === 'Bash' ? exitCodeOf(text, details, block.isError) : null,
    durationMs: durationOf(details) ?? elapsed(calledAt, stringAt(row, 'timestamp')),
    images: block.content.filter((part) => stringAt(part, 'type') === 'image').length,
    overflow: overflowOf(text, details),
    patch: hunksAt(details, 'structuredPatch'),
  }
}

function exitCodeOf(text: string, details: unknown, isError: boolean): number | null {
  const told = /^(?:Error: )?Exit code (\d+)/.exec(typeof details === 'string' ? details : text)
  if (told) return Number(told[1])
  const finished = isObject(details) && !isError && !booleanAt(details, 'interrupted')
  // A background task has not ended, and an interpretation stands for a code that was not written down.
  const isKnown = !textAt(details, 'backgroundTaskId') && !textAt(details, 'returnCodeInterpretation')
  return finished && isKnown ? 0 : null
}

function durationOf(details: unknown): number | undefined {
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
