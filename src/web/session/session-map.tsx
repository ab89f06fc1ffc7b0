import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { Loading } from '../ui/loading.tsx'
import { IN_ELEMENT } from '../ui/virtual-rows.ts'
import { plural } from '../ui/words.ts'
import { type Place, usePlace } from './place.ts'
import type { Outline } from './types.ts'
import { oneLine, visible } from './visible.ts'

type Mark = Outline['marks'][number]

/** How what happened is told in one sign. */
export const SIGNS: ReadonlyMap<string, { readonly sign: string; readonly look: string; readonly name: string }> =
  new Map([
    ['prompt', { sign: '›', look: 'text-prompt-edge', name: 'Prompt' }],
    ['step', { sign: '▸', look: 'text-muted', name: 'Step' }],
    ['test', { sign: '✓', look: 'text-added', name: 'Tests passed' }],
    ['commit', { sign: '●', look: 'text-live', name: 'Commit' }],
    ['error', { sign: '✗', look: 'text-danger', name: 'Error' }],
    ['compaction', { sign: '⌁', look: 'text-warn', name: 'Compaction' }],
    ['agent', { sign: '◆', look: 'text-accent', name: 'Agent' }],
    ['interrupt', { sign: '■', look: 'text-warn', name: 'Interrupt' }],
    ['plan', { sign: '☰', look: 'text-accent', name: 'Plan' }],
  ])

interface Props {
  readonly marks: Outline['marks']
  readonly turns: Outline['turns']
  /** The marks have not come yet. */
  readonly isPending: boolean
  readonly place: Place
  readonly onGo: (mark: Mark) => void
}

/** What happened in a session, from top to bottom: prompts, steps, tests, commits, errors, compactions, agents. A click leads there. */
export function SessionMap({ marks, turns, isPending, place, onGo }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const numbers = useMemo(() => new Map(turns.map(({ row, number }) => [row, number])), [turns])
  const current = usePlace(place, (top) => lastUpTo(marks, top))
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: marks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 4,
    ...IN_ELEMENT,
    paddingEnd: 16,
  })
  useEffect(() => {
    if (current >= 0) virtualizer.scrollToIndex(current, { align: 'auto' })
  }, [current, virtualizer])
  return (
    <nav aria-label="Map of the session" className="flex h-full min-h-0 flex-col">
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain py-2">
        {isPending && (
          <div className="px-4">
            <Loading rows={8} label="Drawing the map …" />
          </div>
        )}
        {!isPending && marks.length === 0 && <p className="px-4 text-sm text-muted">Nothing to list.</p>}
        <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const mark = marks[index] as Mark
            const isPrompt = mark.kind === 'prompt'
            const { sign, look, name } = SIGNS.get(mark.kind) ?? { sign: '·', look: 'text-muted', name: mark.kind }
            return (
              <li key={index} className="absolute inset-x-0 px-2" style={{ top: start }}>
                <button
                  type="button"
                  aria-current={index === current ? 'location' : undefined}
                  onClick={() => onGo(mark)}
                  title={visible(mark.text).slice(0, 300)}
                  className={`flex h-7 w-full min-w-0 items-center gap-2 rounded px-2 text-left text-sm hover:bg-sunk ${isPrompt ? '' : mark.kind === 'step' ? 'pl-6 text-muted' : 'pl-10 text-muted'} ${index === current ? 'bg-sunk font-medium' : ''}`}
                >
                  <span
                    aria-hidden="true"
                    className={`shrink-0 text-xs tabular-nums ${look} ${isPrompt ? 'min-w-4 text-right' : ''}`}
                  >
                    {isPrompt ? (numbers.get(mark.row) ?? sign) : sign}
                  </span>
                  <span className="sr-only">{name}: </span>
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {oneLine(mark.text) || name}
                  </span>
                  {mark.calls !== null && (
                    <span className="shrink-0 text-xs tabular-nums" title={plural(mark.calls, 'tool call')}>
                      {mark.calls}
                    </span>
                  )}
                </button>
              </li>
            )
          })}
        </ol>
      </div>
    </nav>
  )
}

/** The last mark that is not below a row; the marks stand in the order of their rows. */
function lastUpTo(marks: readonly Mark[], row: number): number {
  let from = 0
  let to = marks.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((marks[middle] as Mark).row <= row) from = middle + 1
    else to = middle
  }
  return from - 1
}
