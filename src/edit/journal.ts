import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { listFolder } from '../disk/small-file.ts'
import { makePrivateFolder, readWhole, syncFolder, writePrivateFile } from '../state/private-file.ts'
import { type JournalEntry, readEntry, type WrittenStep, writeEntry } from './journal-entry.ts'
import { changed } from './perform.ts'
import type { Plan } from './plan.ts'
import { changeOf, seenAs } from './seen.ts'
import type { Step } from './step.ts'

/** The folder of edits below that of our data: one folder for each, with its journal and what stood there before. */
export function editsFolder(dataDir: string): string {
  return join(dataDir, 'edits')
}

/** The folder of one edit. */
export function folderOf(dataDir: string, id: string): string {
  return join(editsFolder(dataDir), id)
}

/**
 * Copies what an edit will change, and writes down what it is about to do. When this has returned, both are on the disk: a crash
 * after it is undone or finished by whoever comes next, one before it has changed nothing.
 */
export function beginEntry(dataDir: string, id: string, at: Date, plan: Plan): JournalEntry {
  const folder = folderOf(dataDir, id)
  makePrivateFolder(folder)
  const entry: JournalEntry = {
    id,
    name: plan.name,
    summary: plan.summary,
    at: at.toISOString(),
    state: 'begun',
    direction: plan.direction ?? 'back',
    undoes: plan.undoes ?? null,
    sessions: plan.sessions,
    steps: plan.steps.map((step, number) => writtenStep(step, number, folder, plan)),
  }
  saveEntry(dataDir, entry)
  syncFolder(editsFolder(dataDir))
  return entry
}

/** Puts the journal of an edit in its place in one step. */
export function saveEntry(dataDir: string, entry: JournalEntry): void {
  const folder = folderOf(dataDir, entry.id)
  writePrivateFile(join(folder, JOURNAL), Buffer.from(writeEntry(entry)))
  syncFolder(folder)
}

/** All edits that are written down, the oldest first. What a process left that was killed before it wrote a journal is passed over. */
export function listEntries(dataDir: string): readonly JournalEntry[] {
  const entries = foldersOfEdits(dataDir).flatMap(({ name, path }) => {
    const bytes = readWhole(join(path, JOURNAL))
    if (!bytes) return []
    const entry = readEntry(bytes.toString('utf8'))
    if (entry) return [entry]
    const hint = 'Another version of annals may have written it. The folder beside it holds what stood there before.'
    throw new Failure('CANNOT_RUN', `The journal of edit ${name} cannot be read.`, { hint })
  })
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** Removes what a process left that was killed before it wrote down what it would do: nothing of that was done. */
export function clearUnwritten(dataDir: string): void {
  for (const { path } of foldersOfEdits(dataDir)) {
    if (!existsSync(join(path, JOURNAL))) rmSync(path, { recursive: true, force: true })
  }
}

/** Forgets an edit, with the copies it kept. The journal goes first, so that half of it is never taken for a whole one. */
export function dropEntry(dataDir: string, id: string): void {
  const folder = folderOf(dataDir, id)
  rmSync(join(folder, JOURNAL), { force: true })
  rmSync(folder, { recursive: true, force: true })
}

const JOURNAL = 'journal.json'

function writtenStep(step: Step, number: number, folder: string, plan: Plan): WrittenStep {
  switch (step.action) {
    case 'append':
    case 'cut':
      return { ...step, bytes: Buffer.from(step.bytes).toString('base64') }
    case 'write': {
      const { action, path, before, mode, modifiedAt } = step
      const after = seenAs(path, step.content(), mode)
      const backup = before && plan.direction === undefined ? backUp(before.cursor.path, folder, number) : null
      if (backup) mustBeTheSame(before, join(folder, backup))
      return { action, path, before, after, backup, mode, modifiedAt }
    }
    case 'remove': {
      const backup = backUp(step.before.cursor.path, folder, number)
      mustBeTheSame(step.before, join(folder, backup))
      return { ...step, backup }
    }
    default:
      return step
  }
}

/** A copy is what was seen, or nothing is done. */
function mustBeTheSame(before: Parameters<typeof changeOf>[0] | null, copy: string): void {
  if (before && changeOf(before, copy) !== 'same') throw changed(before.cursor.path)
}

function backUp(path: string, folder: string, number: number): string {
  const name = `${number}.before`
  const copy = join(folder, name)
  writePrivateFile(copy, Buffer.alloc(0))
  copyFileSync(path, copy)
  const fd = openSync(copy, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  return name
}

function foldersOfEdits(dataDir: string) {
  return listFolder(editsFolder(dataDir), []).filter(({ name }) => /^[0-9a-f]{8}$/.test(name))
}
