import { createHash } from 'node:crypto'
import type { JsonObject } from '../core/json.ts'
import type { FileChange } from './steps.ts'
import { addFile, iso, isTerminal, pushPlain, type Thread, type TrackedFile } from './thread.ts'

/** The checkpoint row of a prompt: every file that the client follows, in the state it has now. */
export function snapshotFiles(thread: Thread, messageId: string): void {
  const { session } = thread
  if (session.generation.fileHistory === 'none' || thread.agent !== undefined || !isTerminal(session)) return
  for (const [path, file] of thread.tracked) {
    if (file.current === file.saved) continue
    thread.tracked.set(path, backUp(thread, path, file.version + 1, file.current, file.current))
  }
  pushPlain(thread, snapshotRow(thread, messageId, messageId, false))
}

/** Remembers what a file was before its first change, with the row and the copy in which the client keeps it. */
export function trackChange(thread: Thread, path: string, change: FileChange, line: string): void {
  const { session } = thread
  const { fileHistory } = session.generation
  if (fileHistory === 'none' || thread.agent !== undefined || !isTerminal(session)) return
  const trackingPath = relativeTo(session.cwd, path)
  const known = thread.tracked.get(trackingPath)
  const prompt = thread.prompts.at(-1)
  if (known !== undefined) {
    thread.tracked.set(trackingPath, { ...known, current: change.after })
    return
  }
  const file = backUp(thread, trackingPath, 1, change.before, change.after)
  thread.tracked.set(trackingPath, file)
  if (prompt === undefined) return
  if (fileHistory === 'snapshot') {
    pushPlain(thread, snapshotRow(thread, line, prompt.uuid, true))
    return
  }
  pushPlain(thread, {
    type: 'file-history-delta',
    messageId: line,
    snapshotMessageId: prompt.uuid,
    trackingPath,
    backup: backupFields(thread, trackingPath, file),
    timestamp: iso(thread.now),
  })
}

/** The difference of two texts as the client keeps it: one hunk with three lines around it. */
export function patchOf(before: string, after: string): readonly JsonObject[] {
  const { from, oldLines, newLines, beforeLines } = differing(before, after)
  if (oldLines.length === 0 && newLines.length === 0) return []
  const start = Math.max(0, from - 3)
  const lead = beforeLines.slice(start, from)
  const trail = beforeLines.slice(from + oldLines.length, from + oldLines.length + 3)
  return [
    {
      oldStart: start + 1,
      oldLines: lead.length + oldLines.length + trail.length,
      newStart: start + 1,
      newLines: lead.length + newLines.length + trail.length,
      lines: [
        ...lead.map((line) => ` ${line}`),
        ...oldLines.map((line) => `-${line}`),
        ...newLines.map((line) => `+${line}`),
        ...trail.map((line) => ` ${line}`),
      ],
    },
  ]
}

/** The lines that an edit replaces, and by what. */
export function replacement(before: string, after: string): { readonly oldString: string; readonly newString: string } {
  const { oldLines, newLines } = differing(before, after)
  return { oldString: oldLines.join('\n'), newString: newLines.join('\n') }
}

function differing(before: string, after: string) {
  const beforeLines = linesOf(before)
  const afterLines = linesOf(after)
  let from = 0
  while (from < beforeLines.length && from < afterLines.length && beforeLines[from] === afterLines[from]) from++
  let oldEnd = beforeLines.length
  let newEnd = afterLines.length
  while (oldEnd > from && newEnd > from && beforeLines[oldEnd - 1] === afterLines[newEnd - 1]) {
    oldEnd--
    newEnd--
  }
  return { from, beforeLines, oldLines: beforeLines.slice(from, oldEnd), newLines: afterLines.slice(from, newEnd) }
}

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function snapshotRow(thread: Thread, messageId: string, promptUuid: string, isSnapshotUpdate: boolean): JsonObject {
  const backups = [...thread.tracked].map(([path, file]) => [path, backupFields(thread, path, file)])
  return {
    type: 'file-history-snapshot',
    messageId,
    snapshot: {
      messageId: promptUuid,
      trackedFileBackups: Object.fromEntries(backups),
      timestamp: iso(thread.now),
    },
    isSnapshotUpdate,
  }
}

function backUp(thread: Thread, path: string, version: number, saved: string | null, current: string): TrackedFile {
  const { session } = thread
  const hash = createHash('sha256').update(absolute(session.cwd, path)).digest('hex').slice(0, 16)
  const backupFileName = saved === null ? null : `${hash}@v${version}`
  if (saved !== null) addFile(session, `file-history/${session.fileId}/${backupFileName}`, saved, thread.now)
  return { backupFileName, version, backupTime: iso(thread.now), saved, current }
}

function backupFields(thread: Thread, path: string, file: TrackedFile): JsonObject {
  const { backupFileName, version, backupTime } = file
  const full = absolute(thread.session.cwd, path)
  const parent = full.slice(0, full.lastIndexOf('/'))
  const newest = thread.session.generation.titleFile
  return { backupFileName, version, backupTime, ...(newest && { realParentDir: parent }) }
}

function relativeTo(cwd: string, path: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

/** A path as the tools are given it. */
export function absolute(cwd: string, path: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`
}
