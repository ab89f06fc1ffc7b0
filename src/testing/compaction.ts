import type { JsonObject } from '../core/json.ts'
import { pushBuiltIn } from './commands.ts'
import { compareVersions } from './generation.ts'
import { turnFields } from './prompts.ts'
import type { CompactOptions } from './steps.ts'
import { pass, pushTree, type Thread } from './thread.ts'

/** A compaction: the boundary, the summary that stands for what was before, and the command that asked for it. */
export function pushCompaction(thread: Thread, options: CompactOptions): void {
  const { session } = thread
  const { generation, ids } = session
  if (compareVersions(generation.version, '1.0.128') < 0) {
    throw new Error('Before 1.0.128 a compaction began a new file, which this builder does not write.')
  }
  const trigger = options.trigger ?? 'manual'
  const boundary = ids.uuid()
  const summary = ids.uuid()
  const before = leafBefore(thread, options.from)
  pass(thread, 9_000)
  if (generation.slug && session.slug === undefined) session.slug = ids.slug()
  pushTree(thread, {
    uuid: boundary,
    parent: null,
    ...(before !== null && { logicalParent: before }),
    body: { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false },
    after: { level: 'info', compactMetadata: metadata(thread, options, trigger, before, boundary, summary) },
  })
  pushTree(thread, {
    uuid: summary,
    body: {
      type: 'user',
      message: { role: 'user', content: summaryText(generation.version, options.summary ?? 'The work so far.') },
      ...(options.from === undefined && { isVisibleInTranscriptOnly: true }),
      isCompactSummary: true,
      ...(options.from !== undefined && {
        summarizeMetadata: { messagesSummarized: summarized(thread, options.from), direction: 'from' },
      }),
    },
    after: turnPosition(thread),
  })
  thread.contextTokens = 11_800 + (options.postTokens ?? 3_000)
  if (trigger === 'manual' && options.from === undefined) {
    pushBuiltIn(thread, 'compact', options.instructions ?? '', 'Compacted (ctrl+o to see full summary)')
  }
}

function turnPosition(thread: Thread): JsonObject {
  const { turnPosition } = turnFields(thread, 'human')
  return turnPosition === undefined ? {} : { turnPosition }
}

/** Goes back to before a prompt: nothing is written until the next one, which hangs where that one hung. */
export function rewind(thread: Thread, to: number): void {
  thread.parent = promptAt(thread, to).parent
  thread.rewound = true
}

function metadata(
  thread: Thread,
  options: CompactOptions,
  trigger: string,
  before: string | null,
  boundary: string,
  summary: string,
): JsonObject {
  const { compactMetadata } = thread.session.generation
  const preTokens = options.preTokens ?? thread.contextTokens
  const basic = { trigger, preTokens }
  if (compactMetadata === 'basic') return basic
  const postTokens = options.postTokens ?? 3_000
  const timed = { ...basic, postTokens, durationMs: 8_000 }
  if (compactMetadata === 'tokens') return timed
  const dropped = { ...timed, cumulativeDroppedTokens: Math.max(0, preTokens - postTokens) }
  const chain = chainTo(thread, before)
  if (options.from !== undefined) {
    const messagesSummarized = summarized(thread, options.from)
    return { ...dropped, messagesSummarized, ...preserved(chain, boundary) }
  }
  const count = options.preserved ?? 0
  return { ...dropped, ...preserved(count === 0 ? [] : chain.slice(-count), summary) }
}

function preserved(uuids: readonly string[], anchorUuid: string): JsonObject {
  const headUuid = uuids.at(0)
  const tailUuid = uuids.at(-1)
  if (headUuid === undefined || tailUuid === undefined) return {}
  return {
    preservedSegment: { headUuid, anchorUuid, tailUuid },
    preservedMessages: { anchorUuid, uuids, allUuids: uuids },
  }
}

/** The rows from the first of the conversation to this one. */
export function chainTo(thread: Thread, leaf: string | null): readonly string[] {
  const chain: string[] = []
  for (let uuid = leaf; uuid !== null; uuid = thread.parents.get(uuid) ?? null) chain.push(uuid)
  return chain.reverse()
}

function leafBefore(thread: Thread, from: number | undefined): string | null {
  return from === undefined ? thread.parent : promptAt(thread, from).parent
}

function summarized(thread: Thread, from: number): number {
  return thread.prompts.length - from + 1
}

function promptAt(thread: Thread, number: number) {
  const prompt = thread.prompts[number - 1]
  if (prompt === undefined) throw new Error(`There is no prompt ${number}: ${thread.prompts.length} came before.`)
  return prompt
}

function summaryText(version: string, summary: string): string {
  const lead = 'This session is being continued from a previous conversation that ran out of context.'
  return compareVersions(version, '2.1.45') < 0
    ? `${lead} The conversation is summarized below:\n${summary}.`
    : `${lead} The summary below covers the earlier portion of the conversation.\n\nSummary:\n${summary}`
}
