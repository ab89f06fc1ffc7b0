import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { type JsonObject, stringAt } from '../core/json.ts'
import { rowLines } from './append-rows.ts'
import { missingFolders } from './perform.ts'
import type { EditedSession, Plan } from './plan.ts'
import { folderOfLog, titleRows, writeTitle } from './rename.ts'
import { bytesFrom } from './seen.ts'
import { todosOf, walk } from './session-files.ts'
import type { Step, WriteStep } from './step.ts'
import { checkTitle } from './words.ts'

/** What a fork is made of. */
export interface ForkInput {
  /** The id of the new session. */
  readonly id: string
  readonly title: string
  /** The records that it begins with, in the order of the log: rows of one branch, and what belongs to them. */
  readonly records: readonly JsonObject[]
}

/** Makes a session of its own from the beginning of another, marked as the client's `/branch` marks its copies. */
export function planFork(source: EditedSession, { id, title: text, records }: ForkInput): Plan {
  const title = checkTitle(text)
  const log = join(dirname(source.log), `${id}.jsonl`)
  const lines = rowLines([...records.map((record) => copied(record, source.id, id)), ...titleRows(id, title)])
  const content = () => Buffer.from(lines)
  return {
    name: 'fork',
    summary: `fork ${source.id.slice(0, 8)} as "${title}"`,
    sessions: [{ id, root: source.root, log }],
    steps: [
      ...checkpointCopies(source, id),
      ...todoCopies(source, id),
      ...taskCopies(source, id),
      ...writeTitle(folderOfLog(log), title),
      {
        action: 'write',
        path: log,
        before: null,
        content,
        mode: 0o600,
        modifiedAt: null,
        rows: lines.split('\n').length - 1,
      },
    ],
    expect: [
      `\`claude --resume ${id}\` continues from there; the original session does not change.`,
      'What the copied rows cost stays with that session. Both share one plan, if there is one.',
    ],
    left: [],
  }
}

/** A record as the fork holds it: rows say where they come from. */
function copied(record: JsonObject, from: string, to: string): JsonObject {
  const uuid = stringAt(record, 'uuid')
  const owned = 'sessionId' in record ? { ...record, sessionId: to } : record
  return uuid === undefined || !('parentUuid' in record)
    ? owned
    : { ...owned, sessionId: to, forkedFrom: { sessionId: from, messageUuid: uuid } }
}

function checkpointCopies({ root, id }: EditedSession, to: string): readonly Step[] {
  return folderCopies(join(root, 'file-history', id), join(root, 'file-history', to))
}

function taskCopies({ root, id }: EditedSession, to: string): readonly Step[] {
  return folderCopies(join(root, 'tasks', id), join(root, 'tasks', to)).filter(({ path }) => basename(path) !== '.lock')
}

function folderCopies(from: string, to: string): readonly Step[] {
  const { files, folders } = walk(from)
  if (files.length === 0) return []
  const made = folders.toReversed().flatMap((folder) => missingFolders(join(to, relative(from, folder))))
  const distinct = [...new Map(made.map((step) => [step.path, step])).values()]
  return [...distinct, ...files.map((file) => copy(file, join(to, relative(from, file))))]
}

/** The session's own list belongs to the fork; those of its agents stay theirs. */
function todoCopies({ root, id }: EditedSession, to: string): readonly Step[] {
  const own = join(root, 'todos', `${id}-agent-${id}.json`)
  return todosOf(root, id).includes(own) && existsSync(own)
    ? [copy(own, join(root, 'todos', `${to}-agent-${to}.json`))]
    : []
}

function copy(from: string, path: string): WriteStep {
  return { action: 'write', path, before: null, content: () => bytesFrom(from, 0), mode: 0o600, modifiedAt: null }
}
