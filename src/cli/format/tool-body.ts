import { booleanAt, numberAt, objectAt, stringAt, textAt } from '../../core/json.ts'
import { type RenderedDiff, renderEdit, renderPatch } from '../terminal/diff.ts'
import { foldLines } from '../terminal/fold.ts'
import { duration, plural, shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import { jsonLine } from './json-line.ts'
import { dotted } from './lines.ts'
import { editsOf, patchOf, type ToolPlace } from './tool-line.ts'

/** All that went into a call and came out of it, long parts folded: what stands below its line with `--tools full`. */
export function toolBody(item: unknown, { view }: ToolPlace, width: number): string[] {
  const name = stringAt(item, 'name') ?? ''
  const diffs = diffsOf(item, name, { style: view.style, width, maxLines: DIFF_LINES })
  const result = stringAt(item, 'result') ?? ''
  // The answer to an edit that worked only repeats it.
  const isSaid = diffs.length > 0 && booleanAt(item, 'isError') !== true
  const fold = (text: string) => foldLines(text, { head: HEAD, tail: TAIL, columns: width, style: view.style })
  const output = isSaid || result.trim() === '' ? [] : fold(result)
  const notes = truncate(notesOf(item, view.home), width)
  return [
    ...(diffs.length > 0 ? diffs.flatMap((diff) => diff.lines) : inputLines(item, name, width).map(view.style.dim)),
    ...output,
    ...(notes === '' ? [] : [view.style.dim(notes)]),
  ]
}

const HEAD = 16
const TAIL = 4
const DIFF_LINES = 40
/** What a call's line has said already. */
const SAID = new Set(['file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'subagent_type'])

function diffsOf(item: unknown, name: string, options: Parameters<typeof renderPatch>[1]): readonly RenderedDiff[] {
  const patch = patchOf(item)
  if (patch) return [renderPatch(patch, options)]
  return editsOf(name, objectAt(item, 'input') ?? {}).map(([before, after]) => renderEdit(before, after, options))
}

function inputLines(item: unknown, name: string, width: number): string[] {
  const input = objectAt(item, 'input') ?? {}
  const command = stringAt(input, 'command')
  if (name === 'Bash' && command !== undefined) {
    return command.includes('\n') ? foldLines(command, { head: HEAD, tail: TAIL, columns: width }) : []
  }
  return Object.entries(input)
    .filter(([key]) => !SAID.has(key))
    .flatMap(([key, value]) => {
      const lead = `${oneLine(key)}: `
      if (typeof value !== 'string' || !value.includes('\n')) return [truncate(lead + jsonLine(value), width)]
      return [lead.trimEnd(), ...foldLines(value, { head: HEAD, tail: TAIL, columns: width })]
    })
}

function notesOf(item: unknown, home: string): string {
  const exitCode = numberAt(item, 'exitCode') ?? 0
  const tookMs = numberAt(item, 'durationMs') ?? 0
  const images = numberAt(item, 'images') ?? 0
  const overflow = textAt(item, 'overflow')
  return dotted([
    exitCode === 0 ? '' : `exit code ${exitCode}`,
    tookMs < 1000 ? '' : duration(tookMs),
    images === 0 ? '' : plural(images, 'image'),
    overflow === undefined ? '' : `all of it in ${shortPath(overflow, home)}`,
  ])
}
