import { Fragment, type ReactNode } from 'react'
import { useIsSought, useOpen } from './open-state.tsx'

/** How many lines are shown before and after the fold. */
const HEAD = 16
const TAIL = 6
/** A page that draws more lines than this at once becomes slow. */
const MOST = 4000

interface Props<T> {
  readonly id: string
  readonly lines: readonly T[]
  /** The text of a line, where one may look for words. */
  readonly textOf: (line: T) => string
  readonly children: (line: T, index: number) => ReactNode
  readonly head?: number
  readonly tail?: number
}

/** Lines of which, when there are many, only the first and the last are shown until one asks for all. */
export function LongLines<T>({ id, lines, textOf, children, head = HEAD, tail = TAIL }: Props<T>) {
  const hidden = lines.length - head - tail
  const isSought = useIsSought(hidden > 2 ? lines.slice(head, lines.length - tail).map(textOf) : [])
  const [isOpen, setOpen] = useOpen(`lines:${id}`, isSought)
  const draw = (from: number, to: number) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of a log has no name but its number, and never moves
    lines.slice(from, to).map((line, at) => <Fragment key={from + at}>{children(line, from + at)}</Fragment>)
  if (hidden <= 2) return <>{draw(0, lines.length)}</>
  if (isOpen) {
    const most = Math.min(lines.length, MOST)
    return (
      <>
        {draw(0, most)}
        {most < lines.length && (
          <p className="px-3 py-1 text-muted">
            … {(lines.length - most).toLocaleString('en')} more lines. Open the raw record to read them.
          </p>
        )}
        <FoldButton onClick={() => setOpen(false)} isOpen>
          {lines.length.toLocaleString('en')} lines · fold
        </FoldButton>
      </>
    )
  }
  return (
    <>
      {draw(0, head)}
      <FoldButton onClick={() => setOpen(true)} isOpen={false}>
        {lines.length.toLocaleString('en')} lines · show all
      </FoldButton>
      {draw(lines.length - tail, lines.length)}
    </>
  )
}

function FoldButton({ onClick, isOpen, children }: { onClick: () => void; isOpen: boolean; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onClick}
      className="block w-full border-y border-line bg-sunk px-3 py-1 text-left font-sans text-xs text-muted hover:text-ink"
    >
      {children}
    </button>
  )
}

/** The longest line of output or code that is shown whole. */
export const LONGEST_LINE = 2000
