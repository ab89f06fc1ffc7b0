import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { archiveFolder } from '../archive/archive.ts'
import { HISTORY } from '../archive/kept-files.ts'
import { type MaskedArchive, maskArchive } from '../archive/mask.ts'
import { maskedFile } from '../redact/masked-file.ts'
import type { Redactor } from '../redact/redactor.ts'
import { withEditsLocked } from './apply.ts'
import { clientOn } from './guard.ts'
import { dropEntry, listEntries } from './journal.ts'
import type { Plan } from './plan.ts'
import { bytesFrom, mustSee } from './seen.ts'
import { type SessionFamily, sessionFiles, walk } from './session-files.ts'
import { rewrite, type WriteStep } from './step.ts'

/** Masks every secret in all files of some sessions, and in what the sessions of their roots share. There is no way back. */
export function planMask(sessions: readonly SessionFamily[], redactor: Redactor): Plan {
  const roots = [...new Set(sessions.map(({ root }) => root))]
  const shared = roots.map(sharedFiles)
  const files = [...sessions.flatMap((one) => sessionFiles(one).files), ...shared.flatMap((one) => one.files)]
  const steps: WriteStep[] = []
  const left = shared.flatMap((one) => one.left)
  for (const path of new Set(files)) {
    if (PICTURES.test(path)) continue
    // Seen before it is read: what is appended while secrets are looked for makes the edit fail, and is not lost.
    const seen = mustSee(path)
    const bytes = bytesFrom(path, 0)
    const clean = maskedFile(bytes, path, redactor)
    if (clean === undefined) left.push(`${path} holds secrets in an encoding that cannot be masked.`)
    if (clean === undefined || clean === bytes) continue
    steps.push(rewrite(seen, () => clean, path.endsWith('.jsonl') ? differing(bytes, clean) : undefined))
  }
  return {
    name: 'prune',
    summary: `mask secrets in ${steps.length} ${steps.length === 1 ? 'file' : 'files'}`,
    sessions,
    steps,
    expect: [
      'There is no undo: no copy of what is masked is kept anywhere, the archive included.',
      'Replace the secrets anyway: they were sent to the model, and may be in backups and exports.',
    ],
    left,
    direction: 'forward',
  }
}

/** Masks the archive's copies of the same files. */
export async function maskKept(
  dataDir: string,
  sessions: readonly SessionFamily[],
  redactor: Redactor,
  now: Date,
): Promise<MaskedArchive> {
  const ids = new Set(sessions.map(({ id }) => id))
  const folder = archiveFolder(dataDir)
  if (!existsSync(folder)) return { contents: 0, problems: [] }
  return maskArchive(folder, {
    now,
    isMeant: ({ owner, path }) => !PICTURES.test(path) && (owner === null ? isShared(path) : ids.has(owner)),
    mask: (bytes, path) => maskedFile(bytes, path, redactor),
  })
}

/** Forgets the edits that kept copies of files of these sessions. Gives how many there were. */
export function forgetCopies(dataDir: string, sessions: readonly SessionFamily[]): number {
  const ids = new Set(sessions.map(({ id }) => id))
  return withEditsLocked(dataDir, () => {
    const touched = listEntries(dataDir).filter(
      (entry) => entry.sessions.some(({ id }) => ids.has(id)) || entry.steps.some(({ path }) => isShared(path)),
    )
    for (const { id } of touched) dropEntry(dataDir, id)
    return touched.length
  })
}

/** The files that prompts of all sessions share; the history only while no client appends to it. */
function sharedFiles(root: string): { readonly files: readonly string[]; readonly left: readonly string[] } {
  const pastes = walk(join(root, 'paste-cache')).files
  const history = join(root, HISTORY)
  if (!existsSync(history)) return { files: pastes, left: [] }
  const pid = clientOn(root)
  if (pid === undefined) return { files: [history, ...pastes], left: [] }
  return { files: pastes, left: [`${history} is not changed while Claude Code (process ${pid}) runs.`] }
}

function isShared(path: string): boolean {
  return basename(path) === HISTORY || /(?:^|\/)paste-cache\//.test(path)
}

const PICTURES = /(?:^|\/)image-cache\//

function differing(before: Buffer, after: Buffer): number {
  const [a, b] = [before.toString('latin1').split('\n'), after.toString('latin1').split('\n')]
  return a.filter((line, at) => line !== b[at]).length
}
