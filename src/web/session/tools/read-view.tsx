import { useMemo } from 'react'
import { CodeLine } from '../../code.tsx'
import { highlightLines, languageOf, useColours } from '../../highlight.ts'
import { LONGEST_LINE, LongLines } from '../long-lines.tsx'
import { readOutputOf } from '../numbered-lines.ts'
import type { ToolCall } from '../types.ts'
import { readable } from '../visible.ts'

/** What was read of a file, with the numbers of its lines. */
export function ReadView({ call, file }: { call: ToolCall; file: string }) {
  const { lines, notes } = useMemo(() => readOutputOf(call.result ?? ''), [call.result])
  const language = languageOf(file)
  const hasColours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come later
  const colours = useMemo(
    () => highlightLines(lines.map(({ text }) => readable(text, LONGEST_LINE)).join('\n'), language),
    [lines, language, hasColours],
  )
  const digits = String(lines.at(-1)?.number ?? '').length
  return (
    <div className="overflow-x-auto py-2 font-mono text-[0.8125rem] leading-5">
      <LongLines id={call.id} lines={lines} textOf={({ text }) => text}>
        {({ number, text }, at) => (
          <div className="flex min-h-5">
            <span className="shrink-0 px-2 text-right text-muted select-none" style={{ minWidth: `${digits + 2}ch` }}>
              {number}
            </span>
            <span className="min-w-0 pr-3 break-words whitespace-pre-wrap">
              <CodeLine tokens={colours[at] ?? [{ text: readable(text, LONGEST_LINE) }]} />
            </span>
          </div>
        )}
      </LongLines>
      {notes !== '' && (
        <p className="px-3 pt-2 font-sans text-sm break-words whitespace-pre-wrap text-muted">{readable(notes)}</p>
      )}
    </div>
  )
}
