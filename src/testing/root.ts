import { createHash } from 'node:crypto'
import { projectKey } from '../core/encode.ts'
import type { JsonObject } from '../core/json.ts'
import { type BuiltFile, writeFiles } from './built-file.ts'
import type { Log } from './log.ts'
import type { TodoItem } from './steps.ts'

/** One line of the prompt history. */
export interface HistoryEntry {
  readonly display: string
  readonly project: string
  readonly sessionId?: string
  /** ISO time; by default a minute after the one before. */
  readonly at?: string
  /** Texts pasted into the prompt; long ones go to a file of their own. Where `display` names none, marks are added. */
  readonly pasted?: readonly string[]
}

/** One task of the Task tools. */
export interface TaskFile {
  readonly id: string
  readonly subject: string
  readonly description?: string
  readonly status?: 'pending' | 'in_progress' | 'completed'
  readonly blocks?: readonly string[]
  readonly blockedBy?: readonly string[]
}

/** A client that runs, as it says of itself. */
export interface LiveSession {
  readonly pid: number
  readonly sessionId: string
  readonly cwd: string
  /** ISO time. */
  readonly startedAt?: string
  /** More fields, for example `procStart` or `status`. */
  readonly fields?: JsonObject
}

/** Something the user wrote for the client: a skill, a command or an agent. */
export interface Definition {
  readonly description?: string
  readonly body: string
  /** More lines of the head, for example `{ model: 'opus' }`. */
  readonly head?: Readonly<Record<string, string>>
}

/** Pasted text longer than this stands in a file of its own. */
const LONGEST_PASTE = 1_024

/** Gathers the files of a whole root. */
export function root(): Root {
  return new Root()
}

/** A made-up config folder: logs and everything around them. */
export class Root {
  readonly #logs: Log[] = []
  readonly #history: HistoryEntry[] = []
  readonly #files = new Map<string, BuiltFile>()

  /** Sessions, with those they were made from. */
  add(...logs: readonly Log[]): this {
    this.#logs.push(...logs)
    return this
  }

  /** Lines of `history.jsonl`. */
  history(entries: readonly HistoryEntry[]): this {
    this.#history.push(...entries)
    return this
  }

  /** A to-do list; without an agent, the session's own. */
  todos(sessionId: string, items: readonly TodoItem[], agentId = sessionId): this {
    return this.file(`todos/${sessionId}-agent-${agentId}.json`, json(items))
  }

  /** Tasks of one list, which usually has its session's id. */
  tasks(listId: string, tasks: readonly TaskFile[]): this {
    for (const task of tasks) {
      const filled = {
        description: '',
        activeForm: task.subject,
        status: 'pending',
        blocks: [],
        blockedBy: [],
        ...task,
      }
      this.file(`tasks/${listId}/${task.id}.json`, json(filled))
    }
    return this
  }

  /** A plan's file. */
  plan(slug: string, markdown: string): this {
    return this.file(`plans/${slug}.md`, markdown)
  }

  /** What the client remembers of a project, by file name. */
  memory(cwd: string, files: Readonly<Record<string, string>>): this {
    for (const [name, content] of Object.entries(files)) {
      this.file(`projects/${projectKey(cwd)}/memory/${name}`, content)
    }
    return this
  }

  /** A skill of the user's. */
  skill(name: string, definition: Definition): this {
    return this.file(`skills/${name}/SKILL.md`, document({ name }, definition))
  }

  /** A slash command of the user's. */
  commandFile(name: string, definition: Definition): this {
    return this.file(`commands/${name}.md`, document({}, definition))
  }

  /** A kind of agent of the user's. */
  agentFile(name: string, definition: Definition): this {
    return this.file(`agents/${name}.md`, document({ name }, definition))
  }

  /** `settings.json`, for example `{ cleanupPeriodDays: 90 }`. */
  settings(fields: JsonObject): this {
    return this.file('settings.json', json(fields))
  }

  /** A client that runs. */
  live(session: LiveSession): this {
    const { pid, sessionId, cwd } = session
    const startedAt = Date.parse(session.startedAt ?? '2026-03-02T09:00:00.000Z')
    const registered = {
      pid,
      sessionId,
      cwd,
      startedAt,
      version: '2.1.325',
      peerProtocol: 1,
      kind: 'interactive',
      entrypoint: 'cli',
      status: 'idle',
      updatedAt: startedAt,
      ...session.fields,
    }
    return this.file(`sessions/${pid}.json`, JSON.stringify(registered))
  }

  /** The cache of `/stats`. */
  statsCache(fields: JsonObject): this {
    return this.file('stats-cache.json', json({ version: 2, dailyActivity: [], modelUsage: {}, ...fields }))
  }

  /** The old index of a project's sessions, which is often stale. */
  sessionsIndex(cwd: string, entries: readonly JsonObject[]): this {
    return this.file(
      `projects/${projectKey(cwd)}/sessions-index.json`,
      json({ version: 1, entries, originalPath: cwd }),
    )
  }

  /** Any other file; a path is relative to the root. */
  file(path: string, content: string | Uint8Array, modifiedAt?: string): this {
    this.#files.set(path, { path, content, modifiedAt })
    return this
  }

  /** All files of the root. */
  files(): readonly BuiltFile[] {
    const files = new Map<string, BuiltFile>()
    for (const file of this.#logs.flatMap((log) => log.files())) files.set(file.path, file)
    const owners = new Map<string, string>()
    for (const log of this.#logs) {
      for (const file of log.ownFiles()) {
        const content = Buffer.from(file.content).toString('base64')
        if (file.path.endsWith(`${log.sessionId}.jsonl`) && (owners.get(file.path) ?? content) !== content) {
          throw new Error(`Two logs write ${file.path}. Give one of them another seed.`)
        }
        owners.set(file.path, content)
        files.set(file.path, file)
      }
    }
    for (const file of this.#historyFiles()) files.set(file.path, file)
    for (const [path, file] of this.#files) files.set(path, file)
    return [...files.values()]
  }

  /** Writes all files into a folder. */
  write(dir: string): void {
    writeFiles(dir, this.files())
  }

  #historyFiles(): readonly BuiltFile[] {
    if (this.#history.length === 0) return []
    const pastes: BuiltFile[] = []
    let time = Date.parse('2026-03-02T09:00:00.000Z')
    let pasteId = 0
    const lines = this.#history.map((entry) => {
      time = entry.at === undefined ? time + 60_000 : Date.parse(entry.at)
      const pasted = (entry.pasted ?? []).map((text) => {
        pasteId++
        return { id: pasteId, text, mark: pasteMark(pasteId, text) }
      })
      const contents = pasted.map(({ id, text }) => {
        if (text.length <= LONGEST_PASTE) return [id, { id, type: 'text', content: text }]
        const contentHash = createHash('sha256').update(text).digest('hex').slice(0, 16)
        pastes.push({
          path: `paste-cache/${contentHash}.txt`,
          content: text,
          modifiedAt: new Date(time).toISOString(),
        })
        return [id, { id, type: 'text', contentHash }]
      })
      const marks = entry.display.includes('[Pasted text #') ? [] : pasted.map(({ mark }) => mark)
      return JSON.stringify({
        display: [entry.display, ...marks].join(' '),
        pastedContents: Object.fromEntries(contents),
        timestamp: time,
        project: entry.project,
        sessionId: entry.sessionId,
      })
    })
    const modifiedAt = new Date(time).toISOString()
    return [{ path: 'history.jsonl', content: `${lines.join('\n')}\n`, modifiedAt }, ...pastes]
  }
}

function pasteMark(id: number, text: string): string {
  const more = text.split('\n').length - 1
  return more === 0 ? `[Pasted text #${id}]` : `[Pasted text #${id} +${more} lines]`
}

function document(head: Readonly<Record<string, string>>, definition: Definition): string {
  const { description, body } = definition
  const fields = { ...head, ...(description !== undefined && { description }), ...definition.head }
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`)
  return lines.length === 0 ? `${body}\n` : `---\n${lines.join('\n')}\n---\n\n${body}\n`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
