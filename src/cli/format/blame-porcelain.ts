import { createHash } from 'node:crypto'
import type { Static } from '../../core/schema.ts'
import type { blame } from '../../ops/blame.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import type { View } from '../view.ts'

type Result = Static<typeof blame.result>
type Line = Result['lines'][number]

/**
 * A file as `git blame --porcelain` writes it: a call in place of a commit, zeros where no call is proven. What is known of a call
 * stands with its first line. A terminal gets text that it only shows; whoever else reads gets the lines as they are.
 */
export function formatPorcelain({ lines, path, inRepository }: Result, view: View): readonly string[] {
  const name = oneLine(inRepository ?? path ?? '')
  const shown = view.width === Number.POSITIVE_INFINITY ? (text: string) => text : plain
  const told = new Set<string>()
  return lines.flatMap((line, at) => {
    const id = idOf(line)
    const isFirst = at === 0 || !isNext(lines[at - 1] as Line, line)
    const group = isFirst ? ` ${groupLength(lines, at)}` : ''
    const head = told.has(id) ? [] : [...headOf(line, view.now), `filename ${name}`]
    told.add(id)
    return [`${id} ${originalOf(line)} ${line.line}${group}`, ...head, `\t${shown(line.text)}`]
  })
}

/** The SHA-1 of `SESSION:CALL`. */
function idOf({ call }: Line): string {
  return call ? createHash('sha1').update(`${call.session}:${call.toolUseId}`).digest('hex') : '0'.repeat(40)
}

/** Which line it was in what the call wrote; what no call wrote is told as it is now, as git does with what is not committed. */
function originalOf({ originalLine, line }: Line): number {
  return originalLine ?? line
}

/** A group follows itself in the file as it was and as it is. */
function isNext(line: Line, next: Line): boolean {
  return idOf(line) === idOf(next) && originalOf(next) === originalOf(line) + 1
}

function groupLength(lines: readonly Line[], from: number): number {
  let to = from + 1
  while (to < lines.length && isNext(lines[to - 1] as Line, lines[to] as Line)) to += 1
  return to - from
}

function headOf({ call }: Line, now: Date): readonly string[] {
  const name = call ? oneLine(call.model ?? 'unknown model').trim() : 'Not recorded'
  const mail = call ? oneLine(call.session) : 'outside'
  const seconds = Math.floor((Date.parse(call?.timestamp ?? '') || now.getTime()) / 1000)
  const who = (as: string) => [`${as} ${name}`, `${as}-mail <${mail}>`, `${as}-time ${seconds}`, `${as}-tz +0000`]
  const summary = call ? oneLine(call.prompt ?? call.tool).trim() : 'No recorded call wrote these lines'
  return [...who('author'), ...who('committer'), `summary ${summary || '(empty prompt)'}`]
}
