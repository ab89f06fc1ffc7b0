import { doOp, OpError, queryClient } from './api.ts'
import { resumeCommand } from './session/resume-command.ts'
import { type SessionLine, titleText } from './session-words.ts'
import { say } from './ui/toast.tsx'

/** A session, as far as one can do something with it. */
export type Actable = Pick<SessionLine, 'id' | 'title' | 'project' | 'starred' | 'tags' | 'kept'>

/** Something one can do with a session; what needs a word more is asked for it. */
export interface SessionAction {
  readonly key: string
  readonly text: string
  /** What is asked for, with what stands there now. */
  readonly asks?: { readonly label: string; readonly value: string; readonly mayBeEmpty?: boolean }
  readonly run: (answer: string) => Promise<void>
}

/** All that one can do with a session from a list or the palette. */
export function sessionActions(session: Actable, isDemo: boolean): readonly SessionAction[] {
  const { id, starred, tags, kept } = session
  const actions: readonly SessionAction[] = [
    { key: 'resume', text: 'Copy the command that resumes it', run: () => copyResume(session) },
    { key: 'star', text: starred ? 'Remove star' : 'Add star', run: () => star(session, !starred) },
    {
      key: 'rename',
      text: 'Rename …',
      asks: { label: 'Its new title', value: session.title ?? '' },
      run: (title) => edited(() => doOp('rename', { session: id, title })),
    },
    {
      key: 'tag',
      text: tags.length > 0 ? 'Change its tag …' : 'Tag …',
      asks: { label: 'Its tag; empty to take it away', value: tags[0] ?? '', mayBeEmpty: true },
      run: (tag) => edited(() => doOp('tag', tag === '' ? { session: id, clear: true } : { session: id, tag })),
    },
    ...(kept ? [] : [{ key: 'keep', text: 'Keep it in the archive', run: () => keep(id) }]),
    ...EXPORTS.map(({ to, name }) => ({
      key: `export ${to}`,
      text: `Save it as ${name}, secrets masked`,
      run: () => download(id, to),
    })),
    { key: 'print', text: 'Print it', run: () => print(id) },
    { key: 'undo', text: 'Undo the last edit', run: () => undo() },
  ]
  // What was made up is nobody's to change or keep.
  return isDemo ? actions.filter(({ key }) => !['star', 'rename', 'tag', 'keep', 'undo'].includes(key)) : actions
}

const EXPORTS = [
  { to: 'html', name: 'HTML' },
  { to: 'md', name: 'Markdown' },
  { to: 'bundle', name: 'a bundle' },
] as const

/** Copies the command that goes on with a session, with the folder it belongs to, and says so. */
export async function copyResume(session: Pick<Actable, 'id' | 'project'>): Promise<void> {
  const command = resumeCommand(session)
  await tried(async () => {
    await navigator.clipboard.writeText(command).catch(() => {
      throw new Error(`The browser did not let it be copied: ${command}`)
    })
    say({ text: `Copied: ${command}` })
  })
}

/** Gives a session a star, or takes it away; both can be taken back. */
export async function star(session: Pick<Actable, 'id' | 'title'>, isStarred: boolean): Promise<void> {
  await tried(async () => {
    await doOp('star', { session: session.id, ...(!isStarred && { remove: true }) })
    say({
      text: isStarred ? `Starred: ${titleText(session)}` : `No longer starred: ${titleText(session)}`,
      action: { name: 'Undo', run: () => void star(session, !isStarred) },
    })
  })
}

/** Does an edit and says what it did; it can be taken back byte for byte. */
async function edited(act: () => Promise<{ readonly id: string | null; readonly summary: string }>): Promise<void> {
  await tried(async () => {
    const { id, summary } = await act()
    say({
      text: id === null ? 'Nothing had to be changed.' : summary,
      ...(id !== null && { action: { name: 'Undo', run: () => void undo(id) } }),
    })
  })
}

/** Takes back an edit, the newest where none is named. */
export async function undo(id?: string): Promise<void> {
  await tried(async () => {
    const { summary } = await doOp('undo', id === undefined ? {} : { id })
    say({ text: summary ?? 'Undone.' })
  })
}

async function keep(session: string): Promise<void> {
  await tried(async () => {
    const { problems } = await doOp('keep', { session: [session] })
    say(problems[0] ? { text: problems[0].message, isBad: true } : { text: 'Kept in the archive.' })
  })
}

/** Whatever goes wrong is said; whatever changed is asked for again. */
async function tried(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const hint = error instanceof OpError ? error.hint : undefined
    say({ text: [error instanceof Error ? error.message : String(error), hint].filter(Boolean).join(' '), isBad: true })
  }
  for (const name of ['sessions', 'first-screen', 'status', 'outline', 'archive', 'search']) {
    void queryClient.invalidateQueries({ queryKey: [name] })
  }
}

function addressOf(path: string, query: Readonly<Record<string, string>>): string {
  return `/api/${path}?${new URLSearchParams(query)}`
}

/** Has the browser save a whole session as a file. */
export async function download(session: string, to: 'html' | 'md' | 'bundle'): Promise<void> {
  const link = document.createElement('a')
  link.href = addressOf('download', { session, to })
  link.download = ''
  link.click()
  say({ text: 'The file is being made; the browser saves it when it is there.' })
}

/** Opens a whole session as one page for the printer. */
export async function print(session: string): Promise<void> {
  window.open(addressOf('print', { session }), '_blank', 'noopener')
}
