import type { AgentReport } from '../core/facts/agent-calls.ts'
import {
  type AgentClass,
  agentClass,
  type CallLink,
  type CallRule,
  linkCalls,
  type PlacedCall,
} from '../core/facts/agent-link.ts'
import { agentRows, failureOf } from '../core/facts/agent-log.ts'
import { isObject, parseJson, textAt } from '../core/json.ts'
import { humanText, textOf } from '../core/log/content.ts'
import type { Place } from '../core/log/place.ts'
import type { TreeNode } from '../core/tree/node.ts'
import { buildTree } from '../core/tree/tree.ts'
import type { UsageRow, UsageTotal } from '../core/usage/usage.ts'
import type { AgentFiles, SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import { readRecordAt } from '../disk/log-file.ts'
import { startOf } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** A subagent, linked to its session and to the call that started it. */
export interface Agent {
  readonly id: string
  readonly session: string
  readonly entry: SourceEntry
  readonly class: AgentClass
  readonly type: string | null
  readonly description: string | null
  readonly run: string | null
  /** The id is `null` where the call has none. */
  readonly call: { readonly toolUseId: string | null; readonly place: Place } | null
  /** The agent that started it; `null` where the session itself did. */
  readonly parentAgent: string | null
  readonly linkedBy: { readonly session: 'folder' | 'sessionId'; readonly call: CallRule | null }
  readonly facts: KnownFacts
  /** Its rows: all of its own log, or those of a sidechain inside the session's log. */
  readonly nodes: readonly TreeNode[]
  readonly models: readonly string[]
  readonly usage: UsageTotal
  readonly reported: AgentReport | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly prompt: string | null
  readonly result: string | null
  readonly failedAt: (Place & { readonly reason: string }) | null
}

/** The agents of a session, read and linked; `main` are the facts of its own log where they are known already. */
export function linkedAgents(library: Library, session: SessionFiles, main?: KnownFacts): readonly Agent[] {
  const { id, log } = session
  const known = main ?? (log && library.facts(log))
  const agents = session.agents.flatMap((files) => {
    const facts = files.log && library.facts(files.log)
    return facts ? [{ files, known: facts }] : []
  })
  return linkFamily(library.source, { session: id, main: log && known ? { entry: log, known } : undefined, agents })
}

/** What a family is made from: the session's log and its agents' logs, all read. */
interface FamilyLogs {
  readonly session: string
  readonly main: { readonly entry: SourceEntry; readonly known: KnownFacts } | undefined
  readonly agents: readonly { readonly files: AgentFiles; readonly known: KnownFacts }[]
}

interface Draft {
  readonly id: string
  readonly entry: SourceEntry
  readonly known: KnownFacts
  readonly nodes: readonly TreeNode[]
  readonly run: string | null
  readonly inFolder: boolean
  readonly usage: readonly UsageRow[]
  readonly meta: AgentMeta
  readonly toolUseId: string | null
  readonly prompt: string | null
  readonly startedAt: string | null
}

/** Links the agents of a session, wherever they lie: in its folder, beside it, or inside its log. The earliest first. */
function linkFamily(source: Source, logs: FamilyLogs): readonly Agent[] {
  const drafts = [...inlineDrafts(source, logs), ...fileDrafts(source, logs)]
  const links = linkCalls(drafts, placedCalls(logs))
  const agents = drafts.map((draft) => toAgent(source, logs.session, draft, links.get(draft)))
  return agents.sort((a, b) => compare(a.startedAt, b.startedAt) || compare(a.id, b.id))
}

function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0
}

function placedCalls(logs: FamilyLogs): readonly PlacedCall[] {
  const main = logs.main?.known.facts.agentCalls ?? []
  return [
    ...main.map((call) => ({ call, caller: null })),
    ...logs.agents.flatMap(({ files, known }) => known.facts.agentCalls.map((call) => ({ call, caller: files.id }))),
  ]
}

function inlineDrafts(source: Source, { main }: FamilyLogs): readonly Draft[] {
  if (!main) return []
  const { nodes } = main.known.facts
  if (!nodes.some((node) => node.isSidechain)) return []
  return buildTree(nodes).sidechains.map(({ root, rows }) => {
    const own = rows.map((row) => nodes[row] as TreeNode)
    const theirs = new Set(rows)
    const first = nodes[root] as TreeNode
    const prompt = own.find((node) => node.type === 'user' && node.preview !== null)
    return {
      id: first.agentId ?? (first.uuid || `line-${first.line}`),
      entry: main.entry,
      known: main.known,
      nodes: own,
      run: null,
      inFolder: false,
      usage: main.known.facts.usage.filter(({ node }) => theirs.has(node)),
      meta: NO_META,
      toolUseId: null,
      prompt: prompt ? textAtNode(source, main.entry, prompt, humanText) : null,
      startedAt: first.timestamp,
    }
  })
}

function fileDrafts(source: Source, { agents }: FamilyLogs): readonly Draft[] {
  return agents.flatMap(({ files, known }) => {
    const { log: entry } = files
    if (!entry) return []
    const { nodes } = known.facts
    const { promptRow, startedAt } = agentRows(nodes, [])
    const meta = files.meta ? readMeta(source, files.meta) : NO_META
    return {
      id: files.id,
      entry,
      known,
      nodes,
      run: files.run,
      inFolder: files.session !== null,
      usage: known.facts.usage,
      meta,
      toolUseId: meta.toolUseId,
      prompt: promptRow ? textAtNode(source, entry, promptRow, humanText) : null,
      startedAt,
    }
  })
}

function toAgent(source: Source, session: string, draft: Draft, link: CallLink | undefined): Agent {
  const { entry, known, nodes, meta } = draft
  const rows = agentRows(nodes, draft.usage)
  const { answerRow } = rows
  const answer = answerRow ? textAtNode(source, entry, answerRow, textOf) : null
  const failure = failureOf(nodes, link?.call.reported)
  const call = link && { toolUseId: link.call.toolUseId || null, place: link.call.place }
  return {
    id: draft.id,
    session,
    entry,
    class: agentClass({ id: draft.id, run: draft.run, prompt: draft.prompt, hasUserRow: rows.hasUserRow }),
    type: meta.type ?? link?.call.type ?? null,
    description: meta.description ?? link?.call.description ?? null,
    run: draft.run,
    call: call ?? null,
    parentAgent: link?.caller ?? meta.parentAgent,
    linkedBy: { session: draft.inFolder ? 'folder' : 'sessionId', call: link?.rule ?? null },
    facts: known,
    nodes,
    models: rows.models,
    usage: rows.usage,
    reported: link?.call.reported ?? null,
    startedAt: rows.startedAt,
    endedAt: rows.endedAt,
    prompt: draft.prompt,
    result: link?.call.reported.result ?? answer,
    failedAt: failure ? { ...placeAt(entry, failure.node), reason: failure.reason } : null,
  }
}

interface AgentMeta {
  readonly type: string | null
  readonly description: string | null
  readonly toolUseId: string | null
  readonly parentAgent: string | null
}

const NO_META: AgentMeta = { type: null, description: null, toolUseId: null, parentAgent: null }

/** Meta files may be empty or half-written: what cannot be read is as good as absent. */
function readMeta(source: Source, entry: SourceEntry): AgentMeta {
  const value = parseJson(new TextDecoder().decode(startOf(source, entry, 1024 * 1024)))
  if (!isObject(value)) return NO_META
  return {
    type: textAt(value, 'agentType') ?? null,
    description: textAt(value, 'description') ?? null,
    toolUseId: textAt(value, 'toolUseId') ?? null,
    parentAgent: textAt(value, 'parentAgentId') ?? null,
  }
}

function textAtNode(
  source: Source,
  entry: SourceEntry,
  node: TreeNode,
  read: (raw: NonNullable<ReturnType<typeof readRecordAt>>['raw']) => string,
): string | null {
  const record = readRecordAt(source, entry, placeAt(entry, node))
  return record ? read(record.raw) || null : null
}

/** The place of a row in its log. */
export function placeAt(entry: SourceEntry, node: TreeNode): Place {
  return { file: entry.path, line: node.line, offset: node.offset, length: node.length }
}
