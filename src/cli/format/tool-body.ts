import { booleanAt, numberAt, objectAt, stringAt, textAt } from '../../core/json.ts'
import { hunksAt } from '../../core/tool-call.ts'
import { type RenderedDiff, renderEdit, renderPatch } from '../terminal/diff.ts'
import { foldLines } from '../terminal/fold.ts'
import { plural, shortPath } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { jsonLine } from './json-line.ts'
import { dotted, indent } from './lines.ts'
import { editsOf } from './tool-change.ts'

/** All that went into a call and came out of it, long parts folded: what stands below its line with `--tools full`. */
export function toolBody(item: unknown, view: View, width: number): string[] {
  const name = stringAt(item, 'name') ?? ''
  const diffs = diffsOf(item, name, { style: view.style, width, maxLines: DIFF_LINES })
  // The answer to an edit that worked only repeats it.
  const isSaid = diffs.length > 0 && booleanAt(item, 'isError') !== true
  const result = (stringAt(item, 'result') ?? '').replace(/<\/?tool_use_error>/g, '')
  const notes = notesOf(item, view.home)
  return [
    ...(diffs.length > 0 ? diffs.flatMap((diff) => diff.lines) : inputLines(item, name, width).map(view.style.dim)),
    ...(isSaid || result.trim() === '' ? [] : outputLines(name, result, view, width)),
    ...(notes === '' ? [] : [view.style.dim(truncate(notes, width))]),
  ]
}

const HEAD = 16
const TAIL = 4
const DIFF_LINES = 40
/** What a call's line has said already. */
const SAID = new Set(['file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'subagent_type'])
/** Tools whose output is made of lines; that of others is prose. */
const IN_LINES = new Set(['Bash', 'BashOutput', 'Read', 'NotebookRead', 'Grep', 'Glob', 'LS'])

function diffsOf(item: unknown, name: string, options: Parameters<typeof renderPatch>[1]): readonly RenderedDiff[] {
  const patch = hunksAt(item, 'patch')
  if (patch) return [renderPatch(patch, options)]
  return editsOf(name, objectAt(item, 'input') ?? {}).map(([before, after]) => renderEdit(before, after, options))
}

function inputLines(item: unknown, name: string, width: number): string[] {
  const input = objectAt(item, 'input') ?? {}
  const command = stringAt(input, 'command')
  if (name === 'Bash' && command !== undefined) {
    return command.trim().includes('\n') ? foldLines(command.trim(), { head: HEAD, tail: TAIL, columns: width }) : []
  }
  return Object.entries(input)
    .filter(([key]) => !SAID.has(key))
    .flatMap(([key, value]) => {
      const text = typeof value === 'string' ? plain(value).trim() : jsonLine(value)
      const line = `${oneLine(key)}: ${text}`
      if (!text.includes('\n') && widthOf(line) <= width) return [line]
      return [truncate(`${oneLine(key)}:`, width), ...indent(foldedProse(text, width - 2), 2)]
    })
}

function outputLines(name: string, result: string, view: View, width: number): string[] {
  if (!IN_LINES.has(name)) return foldedProse(result.trim(), width)
  return foldLines(result, { head: HEAD, tail: TAIL, columns: width, style: view.style })
}

function foldedProse(text: string, width: number): string[] {
  return foldLines(wrap(plain(text), width).join('\n'), { head: HEAD, tail: TAIL, columns: width })
}

function notesOf(item: unknown, home: string): string {
  const exitCode = numberAt(item, 'exitCode') ?? 0
  const images = numberAt(item, 'images') ?? 0
  const overflow = textAt(item, 'overflow')
  return dotted([
    exitCode === 0 ? '' : `exit code ${exitCode}`,
    images === 0 ? '' : plural(images, 'image'),
    overflow === undefined ? '' : `all of it in ${shortPath(overflow, home)}`,
  ])
}
