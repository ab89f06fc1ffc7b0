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
    ? renderDiff(diff, {
        style,
        width,
        maxLines: isWhole(view) ? Number.POSITIVE_INFINITY : DIFF_LINES,
        unfold: view.unfold,
      })
    : inputLines(item, meaning, view, width).map(style.dim)
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
/** How much of a long text is shown, and how the rest is. */
function foldOf(view: View) {
  return { head: isWhole(view) ? Number.POSITIVE_INFINITY : HEAD, tail: TAIL, unfold: view.unfold }
}

function isWhole({ input }: View): boolean {
  return input.full === true
}

/** What a call's line has said already. */
const SAID = new Set(['file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'subagent_type'])
/** Calls whose output is made of lines; that of others is prose. */
const IN_LINES: ReadonlySet<ToolMeaning['kind']> = new Set(['shell-output', 'read', 'grep', 'glob', 'list'])

function inputLines({ input }: ShownTool, meaning: ToolMeaning, view: View, width: number): string[] {
  if (meaning.kind === 'shell') {
    const command = meaning.command.trim()
    return command.includes('\n') ? foldLines(command, { ...foldOf(view), columns: width }) : []
  }
  return Object.entries(input)
    .filter(([key]) => !SAID.has(key))
    .flatMap(([key, value]) => {
      const text = typeof value === 'string' ? plain(value).trim() : jsonLine(value)
      const line = `${oneLine(key)}: ${text}`
      if (!text.includes('\n') && widthOf(line) <= width) return [line]
      return [truncate(`${oneLine(key)}:`, width), ...indent(foldedProse(text, view, width - 2), 2)]
    })
}

function outputLines(item: ShownTool, meaning: ToolMeaning, view: View, width: number): string[] {
  const { style } = view
  const folded = (text: string) =>
    text.trim() === '' ? [] : foldLines(text, { ...foldOf(view), columns: width, style })
  if (meaning.kind === 'shell') return [...folded(meaning.stdout), ...folded(meaning.stderr).map(style.warn)]
  const text = resultText(item)
  if (IN_LINES.has(meaning.kind)) return folded(text)
  return text.trim() === '' ? [] : foldedProse(text.trim(), view, width)
}

function foldedProse(text: string, view: View, width: number): string[] {
  return foldLines(wrap(plain(text), width).join('\n'), { ...foldOf(view), columns: width })
}

function notesOf({ exitCode, images, overflow }: ShownTool, home: string): string {
  return dotted([
    exitCode === null || exitCode === 0 ? '' : `exit code ${exitCode}`,
    images === 0 ? '' : plural(images, 'image'),
    overflow === null ? '' : `all of it in ${shortPath(overflow, home)}`,
  ])
}
