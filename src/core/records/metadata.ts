import { type Properties, type Static, Type } from '../schema.ts'
import { contentBlock } from './content.ts'
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
  strings,
  typed,
  unknown,
} from './shape.ts'

/** A row known from the client's code only: any field may be missing, and others may be there. */
function coded<T extends string, P extends Properties>(type: T, properties: P) {
  return loose({
    type: Type.Literal(type),
    ...optional({ sessionId: string, timestamp: string }),
    ...optional(properties),
  })
}

const session = { sessionId: string }
// Rows that the SDK writes carry these too.
const stamped = { ...session, ...optional({ uuid: string, timestamp: string }) }

const backup = Type.Object({
  backupFileName: nullableString,
  version: number,
  backupTime: string,
  ...optional({ realParentDir: nullableString }),
})

const modelCost = Type.Object(
  optional({
    inputTokens: number,
    outputTokens: number,
    thinkingTokens: number,
    cacheReadInputTokens: number,
    cacheCreationInputTokens: number,
    cacheCreationEphemeral5mInputTokens: number,
    cacheCreationEphemeral1hInputTokens: number,
    webSearchRequests: number,
    costUSD: number,
  }),
)

const worktreeSession = Type.Object({
  originalCwd: string,
  worktreePath: string,
  worktreeName: string,
  ...optional({
    preEnterOriginalCwd: string,
    worktreeBranch: string,
    originalBranch: string,
    originalHeadCommit: string,
    sessionId: string,
    extensionRoot: string,
    tmuxSessionName: string,
    hookBased: boolean,
    creationDurationMs: number,
    usedSparsePaths: boolean,
  }),
})

/** The rows that are no part of the conversation tree, by their type. */
export const metadata = {
  // titles and names
  summary: typed('summary', { summary: string, leafUuid: string, ...optional({ sessionId: string, cwd: string }) }),
  'custom-title': typed('custom-title', { customTitle: string, ...stamped }),
  'ai-title': typed('ai-title', { aiTitle: string, ...stamped }),
  tag: typed('tag', { tag: string, ...stamped }),
  'agent-name': typed('agent-name', { agentName: string, ...stamped }),
  'agent-color': typed('agent-color', { agentColor: string, ...stamped }),
  'agent-setting': typed('agent-setting', { agentSetting: string, ...stamped }),
  'task-summary': coded('task-summary', { summary: string }),

  // prompts and where the conversation stands
  'queue-operation': typed('queue-operation', {
    operation: string,
    timestamp: string,
    ...session,
    ...optional({
      content: nullable(Type.Union([string, Type.Array(contentBlock)])),
      reason: string,
      commandUuid: string,
      deliveryId: string,
    }),
  }),
  'last-prompt': typed('last-prompt', {
    ...session,
    ...optional({
      lastPrompt: nullableString,
      leafUuid: nullableString,
      explicit: boolean,
      rewound: boolean,
      cutUuid: nullableString,
    }),
  }),
  mode: typed('mode', { mode: string, ...session }),
  'permission-mode': typed('permission-mode', { permissionMode: string, ...session }),
  relocated: typed('relocated', { relocatedCwd: string, ...session }),
  'worktree-state': typed('worktree-state', { worktreeSession: nullable(worktreeSession), ...session }),
  'continued-in': coded('continued-in', { continuedInSessionId: string }),
  'ended-by-model': coded('ended-by-model', {}),
  'derived-from': coded('derived-from', { v: number, sessions: Type.Array(unknown) }),
  'fork-context-ref': coded('fork-context-ref', { agentId: string }),

  // checkpoints
  'file-history-snapshot': typed('file-history-snapshot', {
    messageId: string,
    snapshot: Type.Object({ messageId: string, trackedFileBackups: mapOf(backup), timestamp: string }),
    isSnapshotUpdate: boolean,
    ...optional({ sessionId: string }),
  }),
  'file-history-delta': typed('file-history-delta', {
    messageId: string,
    snapshotMessageId: string,
    trackingPath: string,
    backup,
    timestamp: string,
    ...optional({ sessionId: string }),
  }),
  'attribution-snapshot': coded('attribution-snapshot', { messageId: string }),

  // money, tools, links
  'cost-state': typed('cost-state', {
    ...session,
    totalCostUSD: number,
    modelUsage: mapOf(modelCost),
    ...optional({
      totalAPIDuration: number,
      totalAPIDurationWithoutRetries: number,
      totalToolDuration: number,
      totalLinesAdded: number,
      totalLinesRemoved: number,
      totalDuration: number,
      startTime: nullableNumber,
      hasUnknownModelCost: boolean,
      modelCallCostUSD: unknown,
      timestamp: string,
    }),
  }),
  'tools-used': typed('tools-used', { tools: strings, ...session }),
  'pr-link': typed('pr-link', { prNumber: number, prUrl: string, prRepository: string, timestamp: string, ...session }),
  'frame-link': coded('frame-link', { path: string, frameUrl: string, title: string, artifactCount: number }),
  'artifact-comment-monitor': coded('artifact-comment-monitor', { v: number, artifacts: unknown }),
  'artifact-autoreact-ledger': coded('artifact-autoreact-ledger', {
    v: number,
    artifacts: unknown,
    accountUuid: nullableString,
  }),

  // what was sent to the API: holds the whole system prompt, so it is never shown
  'api-request': loose({
    type: Type.Literal('api-request'),
    id: string,
    ...optional({
      ...session,
      timestamp: string,
      version: string,
      querySource: string,
      shapeHash: string,
      params: loose(optional({ model: string })),
      base: nullableString,
      keep: number,
      tail: strings,
      cacheControl: Type.Array(unknown),
      requestDigest: string,
      agentId: string,
    }),
  }),
  'api-request-shape': loose({
    type: Type.Literal('api-request-shape'),
    shapeHash: string,
    ...optional({ ...session, timestamp: string, version: string, shape: unknown, agentId: string }),
  }),
  'api-request-blob': loose({
    type: Type.Literal('api-request-blob'),
    hash: string,
    ...optional({ ...session, message: unknown, agentId: string }),
  }),
  'content-replacement': coded('content-replacement', { agentId: string, replacements: Type.Array(unknown) }),

  // state of the client that says nothing about the conversation
  'atis-latch': typed('atis-latch', { atis: string, ...session }),
  'bridge-session': coded('bridge-session', { bridgeSessionId: nullableString, lastSequenceNum: number }),
  'history-suppression': coded('history-suppression', { cause: string, ts: unknown }),
  'observer-ref': coded('observer-ref', {}),
  'isolation-latch': coded('isolation-latch', { side: unknown }),
  'dev-mods': coded('dev-mods', { folder: unknown }),
  'session-owner': coded('session-owner', {}),
  'repl-mode': coded('repl-mode', { replMode: unknown, typedEvents: unknown }),
  'memory-mode': coded('memory-mode', { mode: unknown, afterUuid: nullableString, reason: unknown, account: unknown }),
  'data-flow-records': coded('data-flow-records', {
    v: number,
    agentId: string,
    records: Type.Array(unknown),
    snapshot: unknown,
  }),
  'data-flow-incomplete': coded('data-flow-incomplete', { v: number }),
  'resume-head-vouch': coded('resume-head-vouch', { sum: unknown }),
  'speculation-accept': coded('speculation-accept', { timeSavedMs: number }),
  'marble-origami-commit': coded('marble-origami-commit', {}),
  'marble-origami-snapshot': coded('marble-origami-snapshot', {}),
  'marble-origami-reset': coded('marble-origami-reset', {}),
}

/** The rows that are no part of the tree, by their type. */
export type MetadataRows = { readonly [Name in keyof typeof metadata]: Static<(typeof metadata)[Name]> }
