import { type Schema, type Static, Type } from '../schema.ts'
import {
  boolean,
  loose,
  mapOf,
  nullable,
  nullableNumber,
  nullableString,
  number,
  optional,
  string,
  typed,
  unknown,
  variants,
} from './shape.ts'
import { task, todo } from './todo.ts'

const pasted = Type.Object({
  id: number,
  type: string,
  ...optional({ content: string, contentHash: string, mediaType: string, filename: string }),
})

/** One line of history.jsonl. */
const history = Type.Object({
  display: string,
  timestamp: number,
  project: string,
  ...optional({ pastedContents: mapOf(pasted), sessionId: string }),
})

/** The meta.json beside an agent's transcript. */
const agentMeta = Type.Object({
  agentType: string,
  ...optional({
    description: string,
    toolUseId: string,
    spawnDepth: number,
    parentAgentId: string,
    isBuiltIn: boolean,
    launchedWithDefaults: boolean,
    requestShape: string,
    requestNonInteractive: boolean,
    pickedEffortModel: string,
    model: string,
    workflowPhase: string,
    worktreePath: string,
    worktreeBranch: string,
    name: string,
    teamName: string,
    color: string,
    isFork: boolean,
    finished: boolean,
  }),
})

/** The sessions-index.json of a project: 2.0.7x to 2.1.2x, and often stale. */
const sessionsIndex = Type.Object({
  version: number,
  entries: Type.Array(
    Type.Object({
      sessionId: string,
      ...optional({
        fullPath: string,
        fileMtime: number,
        firstPrompt: string,
        summary: string,
        customTitle: string,
        tag: string,
        messageCount: number,
        created: string,
        modified: string,
        gitBranch: string,
        projectPath: string,
        isSidechain: boolean,
      }),
    }),
  ),
  ...optional({ originalPath: string }),
})

/** stats-cache.json, which the /stats screen keeps. */
const statsCache = loose({
  version: number,
  ...optional({
    lastComputedDate: nullableString,
    dailyActivity: Type.Array(
      Type.Object({ date: string, messageCount: number, sessionCount: number, toolCallCount: number }),
    ),
    dailyModelTokens: Type.Array(Type.Object({ date: string, tokensByModel: mapOf(number) })),
    modelUsage: mapOf(loose(optional({ inputTokens: number, outputTokens: number, costUSD: number }))),
    totalSessions: number,
    totalMessages: number,
    longestSession: nullable(loose({})),
    firstSessionDate: nullableString,
    hourCounts: mapOf(number),
    totalSpeculationTimeSavedMs: number,
    shotDistribution: unknown,
  }),
})

/** sessions/<pid>.json: a running client says which session it holds. */
const liveSession = loose({
  pid: number,
  sessionId: string,
  ...optional({
    cwd: string,
    startedAt: number,
    procStart: unknown,
    version: string,
    peerProtocol: number,
    kind: string,
    entrypoint: string,
    name: nullableString,
    nameSource: nullableString,
    status: string,
    updatedAt: nullableNumber,
    statusUpdatedAt: nullableNumber,
    messagingSocketPath: string,
  }),
})

/** One row of a workflow run's journal.jsonl. */
const journal = variants('type', [
  typed('launched', {}),
  typed('started', { key: string, agentId: string, ...optional({ label: string, phase: string }) }),
  typed('result', {
    key: string,
    agentId: string,
    ...optional({ result: unknown, remoteControlDeviceReport: boolean }),
  }),
])

const documents = {
  history,
  'agent-meta': agentMeta,
  'sessions-index': sessionsIndex,
  todos: todo,
  task,
  'stats-cache': statsCache,
  'live-session': liveSession,
  journal,
}

/** The other documents of a root by name: a line of history and journal, an item of a todo list, a whole file else. */
export const documentSchemas: Readonly<Record<string, Schema>> = Object.freeze(
  Object.assign(Object.create(null), documents),
)

/** What each document holds. */
export type DocumentTypes = { readonly [Name in keyof typeof documents]: Static<(typeof documents)[Name]> }
