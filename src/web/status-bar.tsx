import { type ReactNode, useEffect, useRef, useState } from 'react'
import { queryClient } from './api.ts'
import { useEvents, useIndexState, useLink } from './events.ts'
import { bytesText } from './ui/words.ts'

const FIRST_ROWS_MS = 500

/** Says that the server is not heard, and what to do; when it is back, everything is asked again. */
export function LinkBar() {
  // Every page listens: to hear that nobody answers, and how far the index is. Its first rows go first.
  const [isListening, setListening] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setListening(true), FIRST_ROWS_MS)
    return () => clearTimeout(timer)
  }, [])
  useEvents(isListening ? {} : null, {})
  const link = useLink()
  const before = useRef(link)
  useEffect(() => {
    if (link === 'open' && before.current !== 'open') void queryClient.invalidateQueries()
    before.current = link
  }, [link])
  if (link === 'open') return null
  return (
    <p role="alert" className="shrink-0 border-b border-line bg-warn-soft px-4 py-1.5 text-center text-sm text-warn">
      {link === 'lost' ? (
        <>
          annals does not answer: it was stopped. Start it again with <Command>{serveCommand()}</Command>; this page
          goes on by itself.
        </>
      ) : (
        <>
          This browser is no longer signed in. Open the link that <Command>{serveCommand()}</Command> prints.
        </>
      )}
    </p>
  )
}

/** Less than this is read before anybody has looked. */
const WORTH_BYTES = 2_000_000

/** How far the index is, as long as that takes; or why it does not go on. */
export function IndexNote() {
  const state = useIndexState()
  if (!state) return null
  const { doneBytes, totalBytes, trouble } = state
  if (trouble !== undefined) return <Note isBad>{trouble} Search does not find everything.</Note>
  if (totalBytes < WORTH_BYTES || doneBytes >= totalBytes) return null
  return (
    <Note>
      Indexing {ofText(doneBytes, totalBytes)}
      <span aria-hidden="true" className="h-1.5 w-20 overflow-hidden rounded-full bg-line">
        <span className="block h-full bg-accent" style={{ width: `${(100 * doneBytes) / totalBytes}%` }} />
      </span>
    </Note>
  )
}

function Note(props: { readonly isBad?: boolean; readonly children: ReactNode }) {
  const look = props.isBad ? 'bg-warn-soft text-warn' : 'bg-surface text-muted'
  return (
    <p
      role="status"
      className={`pointer-events-none fixed bottom-3 left-3 z-20 flex max-w-[calc(100vw-1.5rem)] items-center gap-2 rounded-full border border-line px-3 py-1 text-sm tabular-nums shadow-sm ${look}`}
    >
      {props.children}
    </p>
  )
}

/** "120 of 300 MB": both in the unit of the whole. */
export function ofText(part: number, whole: number): string {
  const [wholeText, unit] = bytesText(whole).split(' ') as [string, string]
  const size = whole / Number(wholeText)
  return `${Math.floor(part / size)} of ${wholeText} ${unit}`
}

function serveCommand(): string {
  return location.port === '6174' ? 'annals serve' : `annals serve --port ${location.port}`
}

function Command(props: { readonly children: string }) {
  return <code className="font-mono text-[0.9em]">{props.children}</code>
}
