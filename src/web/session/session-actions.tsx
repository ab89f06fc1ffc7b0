import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { doOp, type OpError, queryClient } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { Outline } from './types.ts'

type Named = Outline['session']

const FORMATS = [
  { to: 'html', name: 'HTML' },
  { to: 'md', name: 'Markdown' },
  { to: 'bundle', name: 'bundle (all its files)' },
] as const

/** What can be done with a session beside reading it: named, tagged, starred, taken along, printed. */
export function SessionActions({ session, onPrint }: { session: Named; onPrint: (() => void) | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState<'rename' | 'tag' | null>(null)
  const [said, setSaid] = useState('')
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onDown = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) setOpen(false)
    }
    document.addEventListener('pointerdown', onDown)
    return () => document.removeEventListener('pointerdown', onDown)
  }, [isOpen])
  const act = useMutation<string, OpError, () => Promise<string>>({
    mutationFn: (run) => run(),
    onSuccess: setSaid,
    onError: ({ message, hint }) => setSaid([message, hint ?? ''].join(' ').trim()),
  })
  const ask = (what: 'rename' | 'tag') => {
    setOpen(false)
    setAsked(what)
  }
  const choose = (run: () => Promise<string>) => {
    setOpen(false)
    act.mutate(run)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons have the focus; here only Escape is heard
    <div
      ref={ref}
      className="relative flex items-center"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        setOpen(false)
        ref.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
      }}
    >
      <Button
        look="quiet"
        aria-pressed={session.starred}
        aria-label={session.starred ? 'Remove star' : 'Add star'}
        title={session.starred ? 'Remove star' : 'Add star'}
        onClick={() => choose(() => star(session))}
        className={session.starred ? 'text-warn!' : ''}
      >
        {session.starred ? '★' : '☆'}
      </Button>
      <Button
        look="quiet"
        aria-expanded={isOpen}
        aria-label="More to do with this session"
        title="Rename, tag, export, print"
        onClick={() => setOpen(!isOpen)}
      >
        ⋯
      </Button>
      {isOpen && (
        <div className="absolute top-full right-0 z-30 w-60 rounded-md border border-line bg-surface py-1 text-sm shadow-lg">
          <Choice onClick={() => ask('rename')}>Rename …</Choice>
          <Choice onClick={() => ask('tag')}>{session.tags.length > 0 ? 'Change its tag …' : 'Tag …'}</Choice>
          <Choice onClick={() => choose(undoLast)}>Undo the last edit</Choice>
          <hr className="my-1 border-line" />
          {FORMATS.map(({ to, name }) => (
            <Choice key={to} onClick={() => choose(() => exportAs(session, to))}>
              {`Export as ${name}`}
            </Choice>
          ))}
          {onPrint && (
            <Choice
              onClick={() => {
                setOpen(false)
                onPrint()
              }}
            >
              Print all of it
            </Choice>
          )}
        </div>
      )}
      <Said onDone={() => setSaid('')}>{act.isPending ? 'Working …' : said}</Said>
      {asked !== null && (
        <NameDialog
          what={asked}
          session={session}
          onClose={() => setAsked(null)}
          onDone={(words) => {
            setAsked(null)
            setSaid(words)
          }}
        />
      )}
    </div>
  )
}

function Choice({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" onClick={onClick} className="block w-full px-3 py-1.5 text-left hover:bg-sunk">
      {children}
    </button>
  )
}

/** What came of it, for a while. */
function Said({ children, onDone }: { children: string; onDone: () => void }) {
  const done = useRef(onDone)
  done.current = onDone
  useEffect(() => {
    if (children === '') return
    const timer = setTimeout(() => done.current(), 6000)
    return () => clearTimeout(timer)
  }, [children])
  return (
    <span
      role="status"
      className={
        children === ''
          ? 'sr-only'
          : 'absolute top-full right-0 z-20 mt-1 w-max max-w-72 rounded bg-ink px-2.5 py-1 text-sm text-paper shadow-lg'
      }
    >
      {children}
    </span>
  )
}

function NameDialog(props: {
  readonly what: 'rename' | 'tag'
  readonly session: Named
  readonly onClose: () => void
  readonly onDone: (words: string) => void
}) {
  const { what, session } = props
  const before = what === 'rename' ? (session.title ?? '') : (session.tags[0] ?? '')
  const [text, setText] = useState(before)
  const edit = useMutation<string, OpError>({
    mutationFn: () => (what === 'rename' ? rename(session, text) : tag(session, text)),
    onSuccess: props.onDone,
  })
  const label = what === 'rename' ? 'Rename the session' : 'Tag the session'
  return (
    <Dialog label={label} onClose={props.onClose} className="w-[min(28rem,calc(100vw-2rem))]">
      <form
        className="space-y-3 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          edit.mutate()
        }}
      >
        <label className="block text-sm">
          <span className="mb-1 block font-medium">{what === 'rename' ? 'Its new title' : 'Its tag, or nothing'}</span>
          <input
            value={text}
            dir="auto"
            onChange={(event) => setText(event.target.value)}
            className="h-9 w-full rounded-md border border-edge bg-paper px-2"
          />
        </label>
        <p className="text-sm text-muted">
          Claude Code shows it too. “Undo the last edit” takes it back, byte for byte.
        </p>
        {edit.error && (
          <p role="alert" className="text-sm text-danger">
            {edit.error.message} {edit.error.hint}
          </p>
        )}
        <p className="flex justify-end gap-2">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button look="main" type="submit" disabled={edit.isPending || (what === 'rename' && text.trim() === '')}>
            Save
          </Button>
        </p>
      </form>
    </Dialog>
  )
}

async function star({ id, starred }: Named): Promise<string> {
  await doOp('star', { session: id, ...(starred && { remove: true }) })
  await changed()
  return starred ? 'The star is gone' : 'Starred'
}

async function rename({ id }: Named, title: string): Promise<string> {
  await doOp('rename', { session: id, title: title.trim() })
  await changed()
  return 'Renamed'
}

async function tag({ id }: Named, name: string): Promise<string> {
  const isClear = name.trim() === ''
  await doOp('tag', { session: id, ...(isClear ? { clear: true } : { tag: name.trim() }) })
  await changed()
  return isClear ? 'The tag is gone' : 'Tagged'
}

async function undoLast(): Promise<string> {
  const { summary } = await doOp('undo', {})
  await changed()
  return `Undone: ${summary ?? 'the last edit'}`
}

async function exportAs({ id }: Named, to: (typeof FORMATS)[number]['to']): Promise<string> {
  const { content, redactions } = await doOp('export', { sessions: [id], to, inline: true })
  if (!content) return 'Nothing was exported.'
  const bytes = Uint8Array.from(atob(content.base64), (character) => character.charCodeAt(0))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes]))
  link.download = content.name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  const masked = Object.values(redactions).reduce((sum, count) => sum + count, 0)
  return masked === 0 ? `Exported as ${content.name}` : `Exported, ${masked} secrets masked`
}

/** What lists and pages know of sessions is asked again. */
async function changed(): Promise<void> {
  await Promise.all(
    ['outline', 'sessions', 'first-screen', 'search'].map((name) =>
      queryClient.invalidateQueries({ queryKey: [name] }),
    ),
  )
}
