import { join } from 'node:path'
import { appendRows } from './append-rows.ts'
import { missingFolders } from './perform.ts'
import type { EditedSession, Plan } from './plan.ts'
import { seeFile } from './seen.ts'
import type { Step } from './step.ts'
import { checkTag, checkTitle } from './words.ts'

/**
 * Gives a session another title: by the row that the picker reads, the one that the header of an open session reads, and the file
 * that tells both when the rows are far from the end of the log.
 */
export function planRename(session: EditedSession, text: string): Plan {
  const title = checkTitle(text)
  return {
    name: 'rename',
    summary: `rename to "${title}"`,
    sessions: [session],
    steps: [appendRows(session.log, titleRows(session.id, title)), ...writeTitle(folderOfLog(session.log), title)],
    expect: [
      `Claude Code lists it as "${title}", and \`claude --resume "${title}"\` opens it.`,
      'A client as old as 2.1.112 reads the row alone, and forgets it once the log has grown by 64 KiB more.',
    ],
    left: [],
  }
}

/** Gives a session a tag, or with an empty text none. */
export function planTag(session: EditedSession, text: string | null): Plan {
  const tag = text === null ? '' : checkTag(text)
  return {
    name: 'tag',
    summary: tag === '' ? 'clear the tag' : `tag as #${tag}`,
    sessions: [session],
    steps: [appendRows(session.log, [{ type: 'tag', tag, sessionId: session.id }])],
    expect: [tag === '' ? 'Claude Code shows no tag.' : `Claude Code shows #${tag} beside it; a session has one tag.`],
    left: [],
  }
}

/** The rows of a title, as `/rename` writes them. */
export function titleRows(sessionId: string, title: string) {
  return [
    { type: 'custom-title', customTitle: title, sessionId },
    { type: 'agent-name', agentName: title, sessionId },
  ]
}

/** The folder of a session, beside its log. */
export function folderOfLog(log: string): string {
  return log.replace(/\.jsonl$/, '')
}

/** The file of a title in the folder of its session. */
export function writeTitle(folder: string, title: string): readonly Step[] {
  const path = join(folder, 'custom-title.json')
  const before = seeFile(path) ?? null
  const content = () => Buffer.from(JSON.stringify({ customTitle: title }))
  const modifiedAt = before?.cursor.modifiedAt ?? null
  return [
    ...missingFolders(folder),
    { action: 'write', path, before, content, mode: before?.mode ?? 0o600, modifiedAt },
  ]
}
