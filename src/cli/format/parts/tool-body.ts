import { meaningOf } from '../../../core/tools/meaning-of.ts'
import { resultText } from '../../../core/tools/tool-call.ts'
import { diffOf } from '../../../core/tools/tool-diff.ts'
import type { ToolMeaning } from '../../../core/tools/tool-meaning.ts'
import type { ShownTool } from '../../../history/view/item-shape.ts'
import { compareLines, renderDiff } from '../../terminal/diff.ts'
import { foldLines } from '../../terminal/fold.ts'
import { plural, shortPath } from '../../terminal/human.ts'
import { oneLine, plain } from '../../terminal/sanitize.ts'
import { truncate, width as widthOf, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { jsonLine } from './json-line.ts'
import { dotted, indent } from './lines.ts'

/** All that went into a call and came out of it, long parts folded: what stands below its line with `--tools full`. */
export function toolBody(item: ShownTool, view: View, width: number): string[] {
  const { style } = view
  const meaning = meaningOf(item)
  const diff = diffOf(meaning, item.patch, compareLines)
  // The answer to an edit that worked only repeats it.
  const isSaid = diff !== undefined && item.isError !== true
  const asked = diff
    ? renderDiff(diff, { style, width, maxLines: DIFF_LINES })
    : inputLines(item, meaning, width).map(style.dim)
  const notes = notesOf(item, view.home)
  return [
    ...asked,
    ...(isSaid ? [] : outputLines(item, meaning, view, width)),
    ...(notes === '' ? [] : [style.dim(truncate(notes, width))]),
  ]
}

const HEAD = 16
const TAIL = 4
const DIFF_LINES = 40
/** What a call's line has said already. */
const SAID = new Set(['file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'subagent_type'])
/** Calls whose output is made of lines; that of others is prose. */
const IN_LINES: ReadonlySet<ToolMeaning['kind']> = new Set(['shell-output', 'read', 'grep', 'glob', 'list'])

function inputLines({ input }: ShownTool, meaning: ToolMeaning, width: number): string[] {
  if (meaning.kind === 'shell') {
    const command = meaning.command.trim()
    return command.includes('\n') ? foldLines(command, { head: HEAD, tail: TAIL, columns: width }) : []
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

function outputLines(item: ShownTool, meaning: ToolMeaning, view: View, width: number): string[] {
  const { style } = view
  const folded = (text: string) =>
    text.trim() === '' ? [] : foldLines(text, { head: HEAD, tail: TAIL, columns: width, style })
  if (meaning.kind === 'shell') return [...folded(meaning.stdout), ...folded(meaning.stderr).map(style.warn)]
  const text = resultText(item)
  if (IN_LINES.has(meaning.kind)) return folded(text)
  return text.trim() === '' ? [] : foldedProse(text.trim(), width)
}

function foldedProse(text: string, width: number): string[] {
  return foldLines(wrap(plain(text), width).join('\n'), { head: HEAD, tail: TAIL, columns: width })
}

function notesOf({ exitCode, images, overflow }: ShownTool, home: string): string {
  return dotted([
    exitCode === null || exitCode === 0 ? '' : `exit code ${exitCode}`,
    images === 0 ? '' : plural(images, 'image'),
    overflow === null ? '' : `all of it in ${shortPath(overflow, home)}`,
  ])
}
