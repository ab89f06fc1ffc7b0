import {
  arrayAt,
  booleanAt,
  fieldAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  stringAt,
  textAt,
} from '../json.ts'
import { joinText, type ToolUseBlock, toolResultsOf, toolUsesOf } from '../log/content.ts'
import type { Place } from '../log/place.ts'
import type { LogRecord } from '../log/record.ts'
import type { Replacement } from './file-edit.ts'
import { type FileTouch, type Seen, textContent } from './file-touch.ts'
import { fileOf, hunksAt } from './tool-call.ts'

/** A touch of a file, and where a log tells of it. */
export interface LoggedTouch {
  readonly touch: FileTouch
  readonly tool: string
  readonly toolUseId: string
  /** The row with the answer: by then it was done. */
  readonly place: Place
  readonly uuid: string | null
  readonly timestamp: string | null
}

/** Collects what the tools of one log did to a file, by its absolute path. What failed did nothing, and is left out. */
export class FileTouchFold {
  readonly #path: string
  readonly #name: string
  readonly #calls = new Map<string, ToolUseBlock>()
  readonly #seen = new Set<string>()
  readonly #touches: LoggedTouch[] = []

  constructor(path: string) {
    this.#path = path
    this.#name = path.split(/[\\/]/).at(-1) ?? path
  }

  add({ type, raw, place }: LogRecord): void {
    if (type === 'assistant') {
      for (const use of toolUsesOf(raw)) {
        const isWanted = COMMANDS.has(use.name) || (TOOLS.has(use.name) && fileOf(use.input) === this.#path)
        // Rows are repeated where a session was resumed or summed up: what they tell happened once.
        if (!isWanted || this.#seen.has(use.id)) continue
        this.#seen.add(use.id)
        this.#calls.set(use.id, use)
      }
    } else if (type === 'user' && this.#calls.size > 0) {
      for (const { toolUseId, isError, content } of toolResultsOf(raw)) {
        const use = this.#calls.get(toolUseId)
        this.#calls.delete(toolUseId)
        if (!use || (isError && !COMMANDS.has(use.name))) continue
        const touch = touchOf(use, fieldAt(raw, 'toolUseResult'), joinText(content), this.#name)
        if (!touch) continue
        const uuid = stringAt(raw, 'uuid') ?? null
        const timestamp = stringAt(raw, 'timestamp') ?? null
        this.#touches.push({ touch, tool: use.name, toolUseId, place, uuid, timestamp })
      }
    }
  }

  touches(): readonly LoggedTouch[] {
    return this.#touches
  }
}

const TOOLS = new Set(['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
const COMMANDS = new Set(['Bash', 'PowerShell'])

function touchOf(use: ToolUseBlock, result: JsonValue | undefined, told: string, name: string): FileTouch | undefined {
  const { input } = use
  if (COMMANDS.has(use.name)) {
    const command = textAt(input, 'command') ?? ''
    return { kind: 'command', isNamed: command.includes(name) }
  }
  if (use.name === 'Read') return readTouch(result)
  // An answer that came as text alone may tell of a failure without being marked as one.
  if (!isObject(result) && /^(?:Error|<tool_use_error>)/.test(told)) return undefined
  if (use.name === 'Write') {
    const isNew = stringAt(result, 'type') === 'create'
    const before = isNew ? null : seenAt(result, 'originalFile')
    const after = asContent(stringAt(result, 'content') ?? stringAt(input, 'content'))
    const patch = hunksAt(result, 'structuredPatch')
    return { kind: 'write', before, after, ...(patch && { patch }) }
  }
  if (use.name === 'NotebookEdit') {
    return { kind: 'write', before: seenAt(result, 'original_file'), after: seenAt(result, 'updated_file') }
  }
  const before = seenAt(result, 'originalFile') ?? seenAt(result, 'originalFileContents')
  return {
    kind: 'edit',
    before,
    replacements: replacementsOf(input, result),
    patch: hunksAt(result, 'structuredPatch'),
  }
}

function readTouch(result: JsonValue | undefined): FileTouch | undefined {
  const file = objectAt(result, 'file')
  const text = stringAt(file, 'content')
  if (stringAt(result, 'type') !== 'text' || text === undefined) return undefined
  const firstLine = numberAt(file, 'startLine') ?? 1
  const isWhole = firstLine === 1 && numberAt(file, 'numLines') === (numberAt(file, 'totalLines') ?? -1)
  return { kind: 'read', text, firstLine, isWhole }
}

/** What was replaced: as the answer has it, which knows the very text of the file, else as the model wanted it. */
function replacementsOf(input: JsonObject, result: JsonValue | undefined): readonly Replacement[] {
  const edits = arrayAt(input, 'edits')
  if (edits.length > 0) return edits.flatMap((edit) => replacementOf(edit, 'old_string', 'new_string', 'replace_all'))
  const done = replacementOf(result, 'oldString', 'newString', 'replaceAll')
  return done.length > 0 ? done : replacementOf(input, 'old_string', 'new_string', 'replace_all')
}

function replacementOf(value: unknown, oldKey: string, newKey: string, allKey: string): readonly Replacement[] {
  const oldText = stringAt(value, oldKey)
  const newText = stringAt(value, newKey)
  if (oldText === undefined || newText === undefined) return []
  return [{ oldText, newText, isAll: booleanAt(value, allKey) ?? false }]
}

function seenAt(value: unknown, key: string): Seen {
  return asContent(stringAt(value, key))
}

function asContent(text: string | undefined): Seen {
  return text === undefined ? undefined : textContent(text)
}
