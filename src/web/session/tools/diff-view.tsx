import { useMemo } from 'react'
import { CodeLine } from '../../code.tsx'
import { type CodeToken, highlightLines, languageOf } from '../../highlight.ts'
import type { Change, ChangedLine } from '../change.ts'
import { LongLines } from '../long-lines.tsx'
import { visible } from '../visible.ts'

/** A line as it is drawn: coloured, or the gap between two parts. */
type Drawn = (ChangedLine & { readonly tokens: readonly CodeToken[] }) | null

/** What a change took out and put in, with the colours of its language and the numbers of its lines. */
export function DiffView({ id, change, path }: { id: string; change: Change; path: string }) {
  const lines = useMemo(() => drawnLines(change, languageOf(path)), [change, path])
  const digits = lines.reduce(
    (most, line) => Math.max(most, String(line?.newNumber ?? line?.oldNumber ?? '').length),
    0,
  )
  return (
    <div className="overflow-x-auto py-1 font-mono text-[0.8125rem] leading-5">
      <LongLines id={id} lines={lines} textOf={(line) => line?.text ?? ''} head={40} tail={4}>
        {(line) => <DiffLine line={line} digits={change.isNumbered ? digits : 0} />}
      </LongLines>
    </div>
  )
}

const LOOK = { '+': 'bg-added-soft', '-': 'bg-removed-soft', ' ': '', '\\': 'text-muted' } as const
const SPOKEN = { '+': 'added', '-': 'removed', ' ': '', '\\': '' } as const

function DiffLine({ line, digits }: { line: Drawn; digits: number }) {
  if (line === null) return <div className="border-y border-line bg-sunk px-3 text-muted">⋯</div>
  const tone = line.sign === '+' ? 'text-added' : line.sign === '-' ? 'text-removed' : 'text-muted'
  return (
    <div className={`flex min-h-5 ${LOOK[line.sign]}`}>
      {digits > 0 && (
        <span className="shrink-0 px-2 text-right text-muted select-none" style={{ minWidth: `${digits + 2}ch` }}>
          {line.newNumber ?? line.oldNumber ?? ''}
        </span>
      )}
      <span aria-hidden="true" className={`w-5 shrink-0 text-center select-none ${tone}`}>
        {line.sign === '-' ? '−' : line.sign}
      </span>
      {SPOKEN[line.sign] !== '' && <span className="sr-only">{SPOKEN[line.sign]}: </span>}
      <span className="min-w-0 pr-3 break-words whitespace-pre-wrap">
        <CodeLine tokens={line.tokens} />
      </span>
    </div>
  )
}

/** Both sides of a part are coloured as a whole, so that what began lines above is still known. */
function drawnLines({ hunks }: Change, language: string | undefined): readonly Drawn[] {
  return hunks.flatMap((hunk, at) => {
    const side = (sign: '+' | '-') => hunk.filter((line) => line.sign === sign || line.sign === ' ')
    const colours = (lines: readonly ChangedLine[]) =>
      highlightLines(lines.map((line) => visible(line.text)).join('\n'), language)
    const [before, after] = [colours(side('-')), colours(side('+'))]
    let [oldAt, newAt] = [0, 0]
    const drawn = hunk.map((line): Drawn => {
      if (line.sign === '\\') return { ...line, tokens: [{ text: line.text }] }
      const tokens = line.sign === '-' ? before[oldAt] : after[newAt]
      if (line.sign !== '+') oldAt++
      if (line.sign !== '-') newAt++
      return { ...line, tokens: tokens ?? [{ text: visible(line.text) }] }
    })
    return at === 0 ? drawn : [null, ...drawn]
  })
}

/** `+18 −4` */
export function ChangeCount({ added, removed }: { added: number | null; removed: number | null }) {
  return (
    <span className="font-mono text-xs whitespace-nowrap">
      {(added ?? 0) > 0 && <span className="text-added">+{added}</span>}
      {(added ?? 0) > 0 && (removed ?? 0) > 0 && ' '}
      {(removed ?? 0) > 0 && <span className="text-removed">−{removed}</span>}
    </span>
  )
}
