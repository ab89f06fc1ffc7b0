import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { openLibrary } from '../../src/history/compose.ts'
import type { Context } from '../../src/history/context.ts'
import { historyOf } from '../../src/history/history.ts'
import { log, type Root, root } from '../../src/testing/index.ts'

/** A root that can be edited, with state of its own, and what stands in it. */
export interface EditedRoot {
  readonly folder: string
  readonly root: string
  readonly dataDir: string
  /** A working folder that is there. */
  readonly project: string
  readonly sessionId: string
  readonly log: string
  readonly warnings: string[]
  /** A fresh look, as another command would have. */
  context(more?: Partial<Context>): Context
  /** Every file and folder below the root with its bytes, mode and time; what differs between two is what an edit did. */
  picture(): Picture
  remove(): void
}

export type Picture = Readonly<Record<string, string>>

export const OLD = new Date('2026-03-02T12:00:00Z')

/** A session with tools, an agent, an image, edits, a rewind, checkpoints, todos and prompts; `more` adds to its root. */
export function editedRoot(more: (made: Root, project: string) => void = () => {}): EditedRoot {
  const folder = mkdtempSync(join(tmpdir(), 'annals-edit-'))
  const project = join(folder, 'work')
  const dataDir = join(folder, 'state')
  mkdirSync(project)
  const made = log({ cwd: project, seed: 'edited' })
    .user('first question')
    .readFile(join(project, 'notes.txt'), 'a line of notes\n'.repeat(2_000))
    .assistant('read it')
    .user('second question')
    .edit(join(project, 'a.ts'), { before: 'one\n', after: 'two\n' })
    .subagent({ description: 'look around', prompt: 'look', steps: (agent) => agent.assistant('looked') })
    .assistant('changed it')
    .user('third question')
    .assistant('third answer')
  const history = [
    { display: 'first question', project, sessionId: made.sessionId, pasted: ['p'.repeat(2_000)] },
    { display: 'another', project: join(folder, 'work-docker'), sessionId: 'bbbb2222-0000-4000-8000-000000000002' },
  ]
  const built = root()
    .add(
      made,
      log({ cwd: join(folder, 'work-docker'), seed: 'other' })
        .user('other')
        .assistant('other answer'),
    )
    .history(history)
    .todos(made.sessionId, [{ content: 'one', status: 'pending', activeForm: 'doing one' }])
  more(built, project)
  const at = join(folder, 'root')
  built.write(at)
  for (const path of walk(at)) utimesSync(path, OLD, OLD)
  const path = walk(at).find((one) => one.endsWith(`${made.sessionId}.jsonl`)) as string
  const warnings: string[] = []
  const context = (extra: Partial<Context> = {}): Context => ({
    library: openLibrary([at], () => {}, dataDir),
    now: new Date(),
    cwd: project,
    home: folder,
    configDir: dataDir,
    dataDir,
    cacheDir: undefined,
    currentSession: undefined,
    warn: ({ file, message }) => warnings.push(`${file}: ${message}`),
    progress: () => {},
    ...extra,
  })
  return {
    folder,
    root: at,
    dataDir,
    project,
    sessionId: made.sessionId,
    log: path,
    warnings,
    context,
    picture: () => pictureOf(at),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Closes what a context has opened. */
export function close(context: Context): void {
  historyOf(context).close()
  context.library.close()
}

export function pictureOf(folder: string): Picture {
  return Object.fromEntries(
    walk(folder)
      .sort()
      .map((path) => {
        const stats = lstatSync(path)
        const mode = (stats.mode & 0o777).toString(8)
        if (!stats.isFile()) return [relative(folder, path), `folder ${mode}`]
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
        return [relative(folder, path), `${hash} ${stats.size} ${mode} ${Math.round(stats.mtimeMs)}`]
      }),
  )
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((one) => join(one.parentPath, one.name))
}
