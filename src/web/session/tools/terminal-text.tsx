import { useMemo } from 'react'
import { type AnsiSpan, ansiLines } from '../ansi.ts'
import { LONGEST_LINE, LongLines } from '../long-lines.tsx'
import { cutLine } from '../visible.ts'

/** What a terminal printed, with its colours; long output is folded. */
export function TerminalText({ id, text }: { id: string; text: string }) {
  const lines = useMemo(() => ansiLines(text.replace(/\s+$/, '')), [text])
  return (
    <div className="overflow-x-auto py-2 font-mono text-[0.8125rem] leading-5">
      <LongLines id={id} lines={lines} textOf={lineText}>
        {(line) => (
          <div className="min-h-5 whitespace-pre-wrap break-words px-3">
            {line.map(({ text: part, className }, at) =>
              className === '' ? (
                cutLine(part, LONGEST_LINE)
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a line have no other name
                <span key={at} className={className}>
                  {cutLine(part, LONGEST_LINE)}
                </span>
              ),
            )}
          </div>
        )}
      </LongLines>
    </div>
  )
}

function lineText(line: readonly AnsiSpan[]): string {
  return line.map(({ text }) => text).join('')
}
