import { useMemo } from 'react'
import { CodeLine } from '../../code.tsx'
import { type CodeToken, highlightLines, languageOf, useColours } from '../../highlight.ts'
import type { Change, ChangedLine } from '../change.ts'
import { LONGEST_LINE, LongLines } from '../long-lines.tsx'
import { readable, visible } from '../visible.ts'
import { type Changed, cutTokens, wordChanges } from '../word-changes.ts'
import { Copyable } from './copyable.tsx'

/** A line as it is drawn: coloured, or the gap between two parts. */
type Drawn = (ChangedLine & { readonly tokens: readonly CodeToken[]; readonly changed: Changed }) | null

/** What a change took out and put in, with the colours of its language and the numbers of its lines. */
export function DiffView({ id, change, path }: { id: string; change: Change; path: string }) {
  const hasColours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come later
  const lines = useMemo(() => drawnLines(change, languageOf(path)), [change, path, hasColours])
  const digits = lines.reduce(
    (most, line) => Math.max(most, String(line?.newNumber ?? line?.oldNumber ?? '').length),
    0,
  )
  return (
    <Copyable text={() => patchText(change)} label="Copy the change as a patch">
      <div className="overflow-x-auto py-1 font-mono text-[0.8125rem] leading-5">
        <LongLines id={id} lines={lines} textOf={(line) => line?.text ?? ''} head={40} tail={4}>
          {(line) => <DiffLine line={line} digits={change.isNumbered ? digits : 0} />}
        </LongLines>
      </div>
    </Copyable>
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
        {line.changed.length === 0 ? <CodeLine tokens={line.tokens} /> : <ChangedWords line={line} />}
      </span>
    </div>
  )
}

/** A line of which some words changed: these stand out from the rest. */
function ChangedWords({ line }: { line: NonNullable<Drawn> }) {
  const look = line.sign === '+' ? 'bg-added/25' : 'bg-removed/25'
  return cutTokens(line.tokens, line.changed).map(({ text, className = '', isChanged }, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change their order
      key={at}
      data-changed={isChanged || undefined}
      className={`${className} ${isChanged ? `rounded-xs ${look}` : ''}`}
    >
      {text}
    </span>
  ))
}

/** The change as a patch: its lines with their signs. */
function patchText({ hunks }: Change): string {
  return hunks.map((hunk) => hunk.map(({ sign, text }) => `${sign}${text}\n`).join('')).join('@@\n')
}

/** Both sides of a part are coloured as a whole, so that what began lines above is still known. */
function drawnLines({ hunks }: Change, language: string | undefined): readonly Drawn[] {
  return hunks.flatMap((hunk, at) => {
    const side = (sign: '+' | '-') => hunk.filter((line) => line.sign === sign || line.sign === ' ')
    const colours = (lines: readonly ChangedLine[]) =>
      highlightLines(lines.map((line) => readable(line.text, LONGEST_LINE)).join('\n'), language)
    const [before, after] = [colours(side('-')), colours(side('+'))]
    let [oldAt, newAt] = [0, 0]
    const words = wordChanges(hunk)
    const drawn = hunk.map((line): Drawn => {
      if (line.sign === '\\') return { ...line, tokens: [{ text: line.text }], changed: [] }
      const tokens = line.sign === '-' ? before[oldAt] : after[newAt]
      if (line.sign !== '+') oldAt++
      if (line.sign !== '-') newAt++
      // Where unseen characters are written out, the places no longer fit.
      const changed = visible(line.text) === line.text ? (words.get(line) ?? []) : []
      return { ...line, tokens: tokens ?? [{ text: readable(line.text, LONGEST_LINE) }], changed }
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
