import type { JsonObject } from '../core/json.ts'
import type { BuiltFile } from './built-file.ts'
import type { Generation } from './generation.ts'
import type { IdSource } from './ids.ts'
import type { AnswerOptions, Step, TodoItem } from './steps.ts'

/** One line of a log being built, or bytes put in as they are. */
export type Line = { readonly row: JsonObject } | { readonly bytes: Uint8Array }

/** What all threads of one session share while it is built. */
export interface Session {
  /** The name of the log file. */
  readonly fileId: string
  /** What the rows say; a 1.0.128 `--continue` file says another id than its name. */
  readonly sessionId: string
  /** The id with which the process started: a branch goes on in the process of the session it came from. */
  readonly processId: string
  readonly projectDir: string
  readonly configDir: string
  readonly entrypoint: string
  readonly permissionMode: string
  readonly attachments: boolean
  readonly requests: boolean
  readonly ids: IdSource
  readonly files: Map<string, BuiltFile>
  /** Background agents by their description, for the notification that follows. */
  readonly launched: Map<string, LaunchedAgent>
  readonly spent: Map<string, ModelTotals>
  generation: Generation
  cwd: string
  gitBranch: string
  slug: string | undefined
  title: string | undefined
  run(thread: Thread, steps: readonly Step[]): void
}

/** One chain of rows in one file: the conversation itself, or a subagent's. */
export interface Thread {
  readonly session: Session
  readonly lines: Line[]
  readonly agent: ThreadAgent | undefined
  readonly prompts: Prompt[]
  /** Every tree row of this thread with its parent. */
  readonly parents: Map<string, string | null>
  readonly tracked: Map<string, TrackedFile>
  todos: readonly TodoItem[]
  parent: string | null
  /** Milliseconds since 1970. */
  now: number
  turnStartedAt: number
  turns: number
  promptId: string | undefined
  contextTokens: number
  response: OpenResponse | undefined
  rewound: boolean
  announced: boolean
  /** Rows taken over from another session: the client writes them before the first row of its own, behind its header. */
  takenOver: (() => readonly Line[]) | undefined
}

/** The agent to which a thread belongs. */
export interface ThreadAgent {
  /** Absent where agents were written into the main file. */
  readonly id: string | undefined
  readonly type: string
  readonly depth: number
}

/** A prompt, and the row before it, to which a rewind goes back. */
export interface Prompt {
  readonly uuid: string
  readonly parent: string | null
  readonly text: string
}

/** A file with checkpoints: what was saved last and what it is now. */
export interface TrackedFile {
  readonly backupFileName: string | null
  readonly version: number
  readonly backupTime: string
  readonly saved: string | null
  readonly current: string
}

/** A response whose last line is not written yet, because tool calls may still join it. */
export interface OpenResponse {
  readonly blocks: readonly JsonObject[]
  readonly options: AnswerOptions
}

/** A background agent (or workflow) that was started. */
export interface LaunchedAgent {
  readonly id: string
  readonly toolUseId: string
  readonly description: string
  readonly result: string
  readonly endedAt: number
  readonly startedAt: number
  readonly tokens: number
  readonly toolUses: number
  readonly outputFile: string
}

/** What one model was paid for so far, in the words of `cost-state` rows. */
export interface ModelTotals {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadInputTokens: number
  readonly cacheCreationEphemeral5mInputTokens: number
  readonly cacheCreationEphemeral1hInputTokens: number
  readonly webSearchRequests: number
}

/** A thread with nothing in it yet. */
export function newThread(session: Session, now: number, lines: Line[], agent?: ThreadAgent): Thread {
  return {
    session,
    lines,
    agent,
    prompts: [],
    parents: new Map(),
    tracked: new Map(),
    todos: [],
    parent: null,
    now,
    turnStartedAt: now,
    turns: 0,
    promptId: undefined,
    contextTokens: 11_800,
    response: undefined,
    rewound: false,
    announced: false,
    takenOver: undefined,
  }
}

/** Writes the rows that were taken over, if they are not written yet. */
export function writeTakenOver(thread: Thread): void {
  const { takenOver } = thread
  thread.takenOver = undefined
  if (takenOver) thread.lines.push(...takenOver())
}

/** What a tree row is made of: `body` comes before its uuid and time, `after` behind them. */
export interface RowPlan {
  readonly body: JsonObject
  readonly after?: JsonObject
  readonly uuid?: string
  readonly parent?: string | null
  readonly logicalParent?: string
  readonly timestamp?: string
  /** `false` when what follows hangs elsewhere. */
  readonly continues?: boolean
}

/** Adds a row of the tree (user, assistant, system, attachment, progress) and gives its uuid. */
export function pushTree(thread: Thread, plan: RowPlan): string {
  writeTakenOver(thread)
  const uuid = plan.uuid ?? thread.session.ids.uuid()
  const parent = plan.parent === undefined ? thread.parent : plan.parent
  thread.lines.push({ row: envelope(thread, { ...plan, uuid, parent }) })
  thread.parents.set(uuid, plan.logicalParent ?? parent)
  if (plan.continues !== false) thread.parent = uuid
  return uuid
}

/** Adds a row that is not part of the tree. */
export function pushPlain(thread: Thread, row: JsonObject): void {
  thread.lines.push({ row })
}

/** The fields around a row, in the order in which the version writes them. */
export function envelope(thread: Thread, plan: RowPlan & { uuid: string; parent: string | null }): JsonObject {
  const { session, agent } = thread
  const { generation } = session
  const place = {
    userType: 'external',
    ...(generation.envelopeLast && { entrypoint: session.entrypoint }),
    cwd: session.cwd,
    sessionId: session.sessionId,
    version: generation.version,
    ...(generation.gitBranch && { gitBranch: session.gitBranch }),
  }
  const head = {
    parentUuid: plan.parent,
    ...(plan.logicalParent !== undefined && { logicalParentUuid: plan.logicalParent }),
    isSidechain: agent !== undefined,
  }
  const agentId = agent?.id === undefined ? {} : { agentId: agent.id }
  const slug = session.slug === undefined || !generation.slug ? {} : { slug: session.slug }
  const own = {
    ...plan.body,
    uuid: plan.uuid,
    timestamp: plan.timestamp ?? iso(thread.now),
    ...plan.after,
  }
  if (!generation.envelopeLast) return { ...head, ...place, ...agentId, ...slug, ...own }
  const promptId = plan.body.type === 'user' && thread.promptId !== undefined ? { promptId: thread.promptId } : {}
  return { ...head, ...promptId, ...agentId, ...own, ...place, ...slug }
}

/** Lets time pass: a fixed span and up to as much again. */
export function pass(thread: Thread, ms: number): void {
  thread.now += ms + thread.session.ids.below(ms)
}

/** Milliseconds as the log writes times. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

/** Whether a person sits before the client, instead of a program that calls it. */
export function isTerminal(session: Session): boolean {
  return session.entrypoint === 'cli'
}

/** Puts a file of the session into the root; the last one of a path stays. */
export function addFile(session: Session, path: string, content: string, modifiedAt: number): void {
  session.files.set(path, { path, content, modifiedAt: iso(modifiedAt) })
}
