import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { type OpResult, useOp } from '../../api.ts'
import { CodeLine } from '../../code.tsx'
import { highlightLines, languageOf, useColours } from '../../highlight.ts'
import { Link } from '../../routing.tsx'
import { ErrorBox } from '../../ui/error-box.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'
import { countText, plural } from '../../ui/words.ts'
import { CopyLink } from '../copy-link.tsx'
import { visible } from '../visible.ts'

type Line = OpResult<'blame'>['lines'][number]

const HEIGHT = 20

const RULES: ReadonlyMap<string, { readonly edge: string; readonly text: string }> = new Map([
  ['proven', { edge: 'border-l-accent', text: '' }],
  ['outside', { edge: 'border-l-warn', text: 'outside of Claude Code' }],
  ['before', { edge: 'border-l-line', text: 'before all logs' }],
  ['unknown', { edge: 'border-l-edge', text: 'not known' }],
])

/** Who wrote each line of a file, over all sessions: the prompt, and the call that did it. */
export function BlameView({ path }: { path: string }) {
  const { data, error, refetch } = useOp('blame', { file: path }, { staleMs: 60_000 })
  if (error) return <ErrorBox error={error} onRetry={() => refetch()} />
  if (!data) return <Loading rows={4} label="Going through all edits of it …" />
  if (data.lines.length === 0) return <p className="px-3 py-2 text-sm text-muted">What it held was not written down.</p>
  const parts = [
    `${countText(data.proven)} of ${plural(data.total, 'line')} proven`,
    data.outside > 0 ? `${countText(data.outside)} written outside` : '',
    data.before > 0 ? `${countText(data.before)} older than all logs` : '',
    data.unknown > 0 ? `${countText(data.unknown)} not known` : '',
  ]
  return (
    <div>
      <p className="px-3 py-1.5 text-sm text-muted">
        As it was left last: {parts.filter((part) => part !== '').join(' · ')}
      </p>
      <Lines path={path} lines={data.lines} />
    </div>
  )
}

function Lines({ path, lines }: { path: string; lines: readonly Line[] }) {
  const scroller = useRef<HTMLElement>(null)
  const hasColours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come later
  const colours = useMemo(
    () => highlightLines(lines.map(({ text }) => visible(text)).join('\n'), languageOf(path)),
    [lines, path, hasColours],
  )
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 20,
  })
  const digits = String(lines.at(-1)?.line ?? 1).length
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      aria-label="Who wrote each line"
      className="max-h-[70vh] overflow-auto border-t border-line font-mono text-[0.8125rem] leading-5"
    >
      <div className="relative min-w-max" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const line = lines[index] as Line
          const isSame = index > 0 && sameOrigin(lines[index - 1] as Line, line)
          return (
            <div
              key={index}
              className={`group/line absolute left-0 flex min-w-full border-l-4 hover:bg-sunk ${RULES.get(line.rule)?.edge ?? ''} ${isSame ? '' : 'border-t border-t-line'}`}
              style={{ top: start, height: HEIGHT }}
            >
              <span className="sticky left-0 w-56 shrink-0 truncate bg-surface px-2 font-sans text-xs leading-5 text-muted max-sm:w-28">
                {isSame ? '' : <Origin line={line} />}
              </span>
              <span className="shrink-0 px-2 text-right text-muted select-none" style={{ minWidth: `${digits + 2}ch` }}>
                {line.line}
              </span>
              <span className="pr-4 whitespace-pre">
                <CodeLine tokens={colours[index] ?? [{ text: visible(line.text) }]} />
              </span>
              {line.call?.uuid && !isSame && (
                <span className="-my-1.5 opacity-0 group-focus-within/line:opacity-100 group-hover/line:opacity-100">
                  <CopyLink session={readerOf(line.call)} uuid={line.call.uuid} />
                </span>
              )}
            </div>
          )
        })}
      </div>
    </section>
  )
}

function Origin({ line: { call, rule } }: { line: Line }) {
  if (!call) return <>{RULES.get(rule)?.text}</>
  const text = call.prompt === null ? call.tool : visible(call.prompt).replace(/\s+/g, ' ')
  const title = `${call.tool}${call.turn === null ? '' : `, turn ${call.turn}`}: ${text}`
  return (
    <Link
      to="/s/$session"
      params={{ session: readerOf(call) }}
      search={call.uuid === null ? {} : { at: call.uuid }}
      title={title}
      className="text-accent hover:underline"
    >
      <Time iso={call.timestamp} className="text-muted" /> {text}
    </Link>
  )
}

function readerOf({ session, agent }: NonNullable<Line['call']>): string {
  return agent === null ? session : `agent-${agent}`
}

function sameOrigin(a: Line, b: Line): boolean {
  return a.rule === b.rule && a.call?.toolUseId === b.call?.toolUseId
}
