import { isObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { type Finding, replaced } from './finding.ts'
import { isOpaque } from './opaque.ts'
import { joinSplitBlocks, joinSplitLines } from './split-blocks.ts'

/** What finds the secrets of strings, and of fields by their names. */
export interface StringScan {
  readonly scan: (text: string) => readonly Finding[]
  readonly scanName: (name: string) => readonly Finding[]
  readonly field: (name: string, value: string) => Finding | undefined
}

/** A list or an object on the way down, and what its values have become so far. */
interface Frame {
  readonly source: readonly JsonValue[] | JsonObject
  /** `undefined` for a list. */
  readonly names: readonly string[] | undefined
  readonly values: readonly (JsonValue | undefined)[]
  readonly madeNames: string[]
  readonly made: (JsonValue | undefined)[]
  isChanged: boolean
}

/** A value without its secrets, and what they were. */
export interface RedactedJson {
  readonly value: JsonValue
  readonly found: readonly Finding[]
}

/** Redacts every string of a value, however deep. Holds its own stack: logs nest deeper than calls can. */
export function redactJson(value: JsonValue, { scan, scanName, field }: StringScan): RedactedJson {
  const found: Finding[] = []
  const stack: Frame[] = []

  const redactString = (text: string, name: string | undefined): string => {
    const inText = scan(text)
    const inField = inText.length === 0 && name !== undefined ? field(name, text) : undefined
    const here = inField ? [inField] : inText
    if (here.length === 0) return text
    const path = pathOf(stack)
    for (const one of here) found.push({ ...one, path })
    return replaced(text, here)
  }
  const enter = (source: readonly JsonValue[] | JsonObject): void => {
    if (!isObject(source)) {
      const split = joinSplitLines(source, scan) ?? joinSplitBlocks(source, scan)
      for (const { at, finding } of split.found) found.push({ ...finding, path: `${pathOf(stack)}${at}` })
      const isChanged = split.blocks !== source
      stack.push({ source, names: undefined, values: split.blocks, madeNames: [], made: [], isChanged })
      return
    }
    stack.push({
      source,
      names: Object.keys(source),
      values: Object.values(source),
      madeNames: [],
      made: [],
      isChanged: false,
    })
  }

  if (typeof value === 'string') return { value: redactString(value, undefined), found }
  if (typeof value !== 'object' || value === null) return { value, found }
  enter(value)
  for (;;) {
    const frame = stack.at(-1) as Frame
    const at = frame.made.length
    if (at === frame.values.length) {
      stack.pop()
      const done = frame.isChanged ? rebuilt(frame) : frame.source
      const parent = stack.at(-1)
      if (!parent) return { value: done, found }
      parent.isChanged ||= frame.isChanged
      parent.made.push(done)
      continue
    }
    const name = frame.names?.[at]
    if (name !== undefined && frame.madeNames.length === at)
      frame.madeNames.push(redactName(name, frame, scanName, found, stack))
    const child = frame.values[at]
    if (typeof child === 'object' && child !== null) enter(child)
    else if (typeof child !== 'string' || (isObject(frame.source) && isOpaque(frame.source, name as string, child))) {
      frame.made.push(child)
    } else {
      const text = redactString(child, name)
      frame.isChanged ||= text !== child
      frame.made.push(text)
    }
  }
}

/** A field's name without secrets; one that another field has by now gets a number. */
function redactName(
  name: string,
  frame: Frame,
  scanName: StringScan['scanName'],
  found: Finding[],
  stack: readonly Frame[],
): string {
  const inName = scanName(name)
  if (inName.length === 0) return name
  frame.isChanged = true
  const path = pathOf(stack.slice(0, -1))
  const redacted = replaced(name, inName)
  for (const one of inName) found.push({ ...one, path: path === '' ? redacted : `${path}.${redacted}` })
  let unique = redacted
  const isTaken = () => frame.madeNames.includes(unique) || (frame.names?.includes(unique) ?? false)
  for (let number = 2; isTaken(); number++) unique = `${redacted} (${number})`
  return unique
}

function rebuilt({ names, madeNames, made }: Frame): JsonValue {
  if (!names) return made as JsonValue[]
  // `__proto__` must become a field like any other.
  return Object.fromEntries(madeNames.map((name, at) => [name, made[at]]))
}

/** The way from the top to where the stack stands. Names have lost their secrets already. */
function pathOf(stack: readonly Frame[]): string {
  let path = ''
  for (const { names, made, madeNames } of stack) {
    if (!names) path += `[${made.length}]`
    else {
      const name = madeNames[made.length] ?? ''
      path += path === '' ? name : `.${name}`
    }
  }
  return path
}
