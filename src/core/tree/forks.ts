import type { RowKind } from '../log/row-kind.ts'
import { type Attachment, isRepeated } from './attachment.ts'
import { Children } from './children.ts'
import type { TreeNode } from './node.ts'

/** A stretch of the conversation between two rewinds. Segment 0 is the trunk. */
export interface Segment {
  /** The row under which it parted from its siblings; -1 for the trunk, and where it parted at the very start. */
  readonly at: number
  readonly parent: number
}

/**
 * Finds the places where a person went back and asked something else: two prompts under one parent, or a prompt beside
 * an answer. Parallel tool results, attachments and compactions hang beside each other too, and are no forks. What was said
 * after `leaf` was left too, without anything beside it yet.
 */
export function findForks(
  nodes: readonly TreeNode[],
  { parents, attachedBy }: { readonly parents: Int32Array; readonly attachedBy: readonly Attachment[] },
  isMain: (i: number) => boolean,
  leaf = -1,
): { readonly segments: Int32Array; readonly forks: readonly Segment[] } {
  const children = childrenOf(parents, isMain)
  const order = children.topDown()
  const roles = beginsWith(nodes, attachedBy, children, order)
  const segments = new Int32Array(nodes.length).fill(-1)
  const forks: Segment[] = [{ at: -1, parent: -1 }]
  for (const at of order) {
    const segment = at === -1 ? 0 : (segments[at] as number)
    const under = children.of(at)
    const parted = alternativesAt(at, nodes, under, roles)
    const isLeft = at === leaf && at !== -1 && parted.length === 0 && under.some((child) => roles[child] !== 'nothing')
    const alternatives = isLeft ? [under] : parted
    for (const child of under) segments[child] = segment
    for (const alternative of alternatives) {
      forks.push({ at, parent: segment })
      for (const child of alternative) segments[child] = forks.length - 1
    }
  }
  return { segments, forks }
}

/** How a part of the tree begins, seen by a person: rows that are not shown are looked through. */
type Role = 'prompt' | 'answer' | 'other' | 'nothing'

const ROLE_OF: Partial<Record<RowKind, Role>> = {
  prompt: 'prompt',
  command: 'prompt',
  'bash-input': 'prompt',
  warmup: 'prompt',
  response: 'answer',
  'api-error': 'answer',
  // What a resume puts where an answer was missing or cut off.
  synthetic: 'other',
  'tool-result': 'other',
  'compact-boundary': 'other',
  'compact-summary': 'other',
  notification: 'other',
  automated: 'other',
}

function beginsWith(
  nodes: readonly TreeNode[],
  attachedBy: readonly Attachment[],
  children: Children,
  order: Int32Array,
): readonly Role[] {
  const roles: Role[] = new Array(nodes.length).fill('nothing')
  const leadsOn = new Uint8Array(nodes.length)
  for (let i = order.length - 1; i > 0; i--) {
    const at = order[i] as number
    if (isRepeated(attachedBy[at])) continue
    const { kind } = nodes[at] as TreeNode
    const inside = children.of(at)
    const isLed = inside.some((child) => leadsOn[child] === 1)
    leadsOn[at] = isLed || kind === 'prompt' || kind === 'response' ? 1 : 0
    // A local command after which nothing was asked or answered is not a way the conversation took.
    const isLocal = (kind === 'command' || kind === 'bash-input') && !isLed
    const own = isLocal ? 'other' : ROLE_OF[kind]
    roles[at] = own ?? inside.map((child) => roles[child] as Role).find((role) => role !== 'nothing') ?? 'nothing'
  }
  return roles
}

function alternativesAt(
  at: number,
  nodes: readonly TreeNode[],
  children: readonly number[],
  roles: readonly Role[],
): readonly (readonly number[])[] {
  if (children.length < 2) return []
  const prompts = children.filter((child) => roles[child] === 'prompt')
  if (prompts.length === 0) return []
  // The next block of a streamed response hangs under the block before it and is no answer of its own.
  const message = nodes[at]?.messageId ?? null
  const answers = children.filter(
    (child) => roles[child] === 'answer' && (message === null || nodes[child]?.messageId !== message),
  )
  const alternatives = prompts.map((child) => [child])
  if (answers.length > 0) alternatives.push(answers)
  alternatives.sort((a, b) => (a[0] as number) - (b[0] as number))
  return alternatives.length > 1 ? alternatives : []
}

function childrenOf(parents: Int32Array, isMain: (i: number) => boolean): Children {
  return new Children(parents.length, (i) => {
    if (!isMain(i)) return undefined
    // A main row under a sidechain row stands for itself.
    const parent = parents[i] as number
    return parent !== -1 && isMain(parent) ? parent : -1
  })
}
