import { createStyle } from '../../src/cli/terminal/style.ts'
import type { View } from '../../src/cli/view.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Static } from '../../src/core/schema.ts'
import { UNANSWERED } from '../../src/core/tools/tool-call.ts'
import type { AgentItem } from '../../src/history/view/agent-item.ts'
import type { FollowedItem, ShownTool } from '../../src/history/view/item-shape.ts'
import type { SessionItem } from '../../src/history/view/session-item.ts'
import type { WholeTurn } from '../../src/history/view/turn-shape.ts'

/** The moment at which all samples are looked at. */
export const NOW = '2026-11-15T12:00:00.000Z'

/** A view without colour, a hundred columns wide, on a fixed day. */
export function viewOf(changes: Partial<View> = {}): View {
  const style = createStyle({ colour: false })
  const view = { style, width: 100, now: new Date(NOW), home: '/home/ana', timeZone: 'UTC', input: {} }
  return { ...view, tools: 'brief', ...changes }
}

/** Where all samples stand. */
export const place = { file: '/home/ana/.claude/projects/-code-api/log.jsonl', line: 12, offset: 3455, length: 80 }
const usage = {
  responses: 2,
  inputTokens: 1200,
  outputTokens: 340,
  cacheReadTokens: 56_000,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
}

/** A session that was finished yesterday. */
export function sessionOf(changes: Partial<SessionItem> = {}): SessionItem {
  return {
    id: '3f9a1b2c-0000-4000-8000-000000000001',
    root: '/home/ana/.claude',
    file: place.file,
    project: { key: '-code-api', path: '/code/api' },
    title: 'Fix token refresh race',
    titleFrom: 'custom',
    slug: null,
    kind: 'conversation',
    status: 'finished',
    createdAt: '2026-11-14T09:00:00.000Z',
    updatedAt: '2026-11-14T09:48:00.000Z',
    activeMs: 1_500_000,
    wallMs: 5_400_000,
    sizeBytes: 32_000,
    lines: null,
    counts: null,
    messageCount: null,
    branches: null,
    compactions: null,
    agents: null,
    models: null,
    gitBranch: 'main',
    gitBranches: ['main'],
    version: '2.1.325',
    forkedFrom: null,
    continues: null,
    continuedIn: null,
    costUsd: null,
    unpriced: null,
    inherited: null,
    ownCostUsd: null,
    expiresAt: '2026-12-14T12:00:00.000Z',
    kept: false,
    unreadable: null,
    tags: [],
    starred: false,
    note: null,
    ...changes,
  }
}

/** An agent that did well. */
export function agentOf(changes: Partial<Static<typeof AgentItem>> = {}): Static<typeof AgentItem> {
  return {
    id: 'a1b2c3d4e5f60718',
    session: '3f9a1b2c-0000-4000-8000-000000000001',
    file: place.file,
    class: 'task',
    type: 'Explore',
    description: 'find callers of refresh()',
    run: null,
    call: { toolUseId: 'toolu_1', ...place },
    parentAgent: null,
    linkedBy: { session: 'folder', call: 'meta' },
    lines: 24,
    sizeBytes: 9000,
    models: ['claude-opus-5'],
    usage,
    costUsd: null,
    toolUses: 12,
    startedAt: '2026-11-14T09:01:00.000Z',
    endedAt: '2026-11-14T09:03:00.000Z',
    reported: { status: 'completed', durationMs: null, tokens: null, toolUses: null },
    prompt: 'Find every caller.',
    result: 'There are **two**.',
    failedAt: null,
    ...changes,
  }
}

type Followed = Exclude<FollowedItem, { kind: 'tool' }>
type Fields<Kind> = Omit<Extract<Followed, { kind: Kind }>, 'kind' | 'uuid' | 'timestamp' | keyof typeof place>

/** An item of a turn, or of a log that is followed. */
export function itemOf<Kind extends Followed['kind']>(kind: Kind, fields: Fields<Kind>) {
  // What a generic type is made of is not known to the compiler.
  return { kind, uuid: `u-${kind}`, timestamp: null, ...place, ...fields } as unknown as Extract<
    Followed,
    { kind: Kind }
  >
}

/** A tool call that went well and said nothing. */
export function callOf(name: string, input: JsonObject, fields: Partial<ShownTool> = {}): ShownTool {
  return {
    kind: 'tool',
    uuid: 'u-tool',
    timestamp: null,
    ...place,
    messageId: null,
    id: 'toolu_1',
    name,
    input,
    runBy: 'client',
    ...UNANSWERED,
    outcome: 'done',
    result: '',
    isError: false,
    agent: null,
    agents: [],
    ...fields,
  }
}

/** An agent as the call that started it tells of it. */
export function startedAgent(changes: Partial<ShownTool['agents'][number]> = {}): ShownTool['agents'][number] {
  return {
    id: 'a1b2c3d4e5f60718',
    type: 'Explore',
    description: 'find callers',
    toolUses: 12,
    usage,
    costUsd: null,
    failed: null,
    ...changes,
  }
}

/** A turn that a prompt began. */
export function turnOf(
  number: number,
  text: string,
  items: WholeTurn['items'],
  prompt: Partial<NonNullable<WholeTurn['prompt']>> = {},
): WholeTurn {
  const base = {
    kind: 'prompt',
    uuid: `p-${number}`,
    text,
    images: 0,
    expansion: null,
    output: null,
    timestamp: null,
    ...place,
  } as const
  return {
    number,
    prompt: { ...base, ...prompt },
    items,
    usage,
    costUsd: null,
    models: [],
    startedAt: null,
    durationMs: null,
  }
}
