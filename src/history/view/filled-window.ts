import { promptWords } from '../../core/facts/title.ts'
import { preview } from '../../core/log/content.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Turn } from '../../core/tree/turns.ts'
import type { Walk } from '../../core/tree/walk.ts'
import { CONTENT_KINDS, type ContentKind, contentOf } from '../../core/tree/window-content.ts'
import { CONTEXT_TOKEN_BYTES } from '../../core/usage/token-bytes.ts'
import type { OpenedSession } from '../open.ts'
import { NullableString, nullable } from '../shapes.ts'
import { type ShownStep, saidInRow, stepsOfTurn } from './steps.ts'

type Bytes = Record<ContentKind, number>

const kindFields = {
  memory: Type.Integer('CLAUDE.md and other memory'),
  skills: Type.Integer(),
  files: Type.Integer('Files that were named with @, or that Claude Code added'),
  prompts: Type.Integer('What was typed, with the output of commands'),
  answers: Type.Integer(),
  thinking: Type.Integer(),
  toolInput: Type.Integer(),
  toolResults: Type.Integer(),
  summaries: Type.Integer('Of compactions'),
  attachments: Type.Integer('What else Claude Code added'),
}

/** What a part of a turn put into the window, in bytes. */
export const SizesShape = Type.Object({
  turn: Type.Integer(),
  row: Type.Integer(),
  uuid: Type.String(),
  isStep: Type.Boolean('A step of the turn, or what comes before the first'),
  text: nullable(Type.String('The first words of the prompt, or of the step')),
  ...kindFields,
})

/** What the window held when a response was asked for, in tokens. */
export const HeldShape = Type.Object({
  system: Type.Integer("The client's own instructions and tools, and what no log holds"),
  ...kindFields,
})

/** Who put how much into the window, over the whole branch. */
export const SourceShape = Type.Object({
  kind: Type.Choice(CONTENT_KINDS, 'As in sizes'),
  name: NullableString,
  bytes: Type.Integer(),
  times: Type.Integer(),
})

/** What the rows of a branch hold: by part of a turn, by source, and what was there before each response. */
export interface FilledWindow {
  readonly sizes: readonly Static<typeof SizesShape>[]
  readonly sources: readonly Static<typeof SourceShape>[]
  /** For each response, by its message: bytes of what went into its window, since the last compaction. */
  readonly before: ReadonlyMap<string, Bytes>
}

/** Reads all rows of a branch, those that show nothing as well: the model was given them all the same. */
export function filledWindow({ conversation }: OpenedSession, walk: Walk): FilledWindow {
  const { tree } = conversation
  const sources = new Map<string, { kind: ContentKind; name: string | null; bytes: number; times: number }>()
  const before = new Map<string, Bytes>()
  const words = new Map<string, string>()
  const sizes: Static<typeof SizesShape>[] = []
  let held = none()
  walk.turns.forEach((turn, at) => {
    const stepAt = new Map(stepsOfTurn(conversation, walk, at).map((step) => [walk.rows[step.row], step]))
    // What was thought in earlier turns is not sent again.
    held.thinking = 0
    let part = beginning(tree.nodes, walk, turn, at)
    sizes.push(part)
    for (const index of turn.prompt === undefined ? turn.rows : [turn.prompt, ...turn.rows]) {
      const node = tree.nodes[index] as TreeNode
      const step = stepAt.get(index)
      if (step) {
        part = { ...none(), turn: turn.number, ...stepFields(step) }
        sizes.push(part)
      }
      if (node.kind === 'compact-boundary') held = none()
      if (node.messageId !== null && !before.has(node.messageId)) before.set(node.messageId, { ...held })
      for (const { id, words: told } of saidInRow(conversation, index).calls) words.set(id, told)
      const raw = conversation.row(node) ?? {}
      for (const { kind, name, text } of contentOf(node.kind, raw, (id) => words.get(id) ?? null)) {
        const bytes = Buffer.byteLength(text)
        if (bytes === 0) continue
        part[kind] += bytes
        held[kind] += bytes
        const key = `${kind} ${name ?? ''}`
        const source = sources.get(key) ?? { kind, name, bytes: 0, times: 0 }
        sources.set(key, { ...source, bytes: source.bytes + bytes, times: source.times + 1 })
      }
    }
  })
  return { sizes, sources: [...sources.values()].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_SOURCES), before }
}

/** A page lists no more than these; the others are small. */
const MOST_SOURCES = 300

function none(): Bytes {
  return Object.fromEntries(CONTENT_KINDS.map((kind) => [kind, 0])) as Bytes
}

function beginning(nodes: readonly TreeNode[], walk: Walk, turn: Turn, at: number): Static<typeof SizesShape> {
  const row = walk.starts[at] as number
  const asked = turn.prompt === undefined ? undefined : nodes[turn.prompt]
  const uuid = asked?.uuid ?? nodes[walk.rows[row] ?? -1]?.uuid ?? ''
  return { ...none(), turn: turn.number, row, uuid, isStep: false, text: asked ? promptWords(asked) : null }
}

function stepFields({ row, uuid, words }: ShownStep) {
  return { row, uuid, isStep: true, text: preview(words) }
}

/**
 * Says what the tokens of a window were: those that the log holds by their bytes, and what is left the client's own. The sum is
 * measured, its parts are estimated. `system` is what the client itself put there, where that is known already.
 */
export function heldTokens(
  bytes: Bytes | undefined = none(),
  windowTokens: number,
  system: number | null,
): Static<typeof HeldShape> {
  const estimates = CONTENT_KINDS.map((kind) => bytes[kind] / CONTEXT_TOKEN_BYTES)
  const sum = estimates.reduce((all, one) => all + one, 0)
  const own = Math.min(system ?? Math.max(0, windowTokens - sum), windowTokens)
  const scale = sum === 0 ? 0 : Math.min(system === null ? 1 : MOST_SCALE, (windowTokens - own) / sum)
  const held = CONTENT_KINDS.map((kind, at) => [kind, Math.round((estimates[at] as number) * scale)] as const)
  const told = held.reduce((all, [, tokens]) => all + tokens, 0)
  return { system: windowTokens - told, ...(Object.fromEntries(held) as Bytes) }
}

/** An estimate is off by half at most; what is more than that is not in the log. */
const MOST_SCALE = 1.5
