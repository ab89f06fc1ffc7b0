import { createHash } from 'node:crypto'
import { TOKEN_BYTES } from '../../core/usage/token-bytes.ts'
import type { Shortenable, Worth } from './budget.ts'
import { type Attributes, headOf, legible, tailOf, xmlAttributes, xmlText } from './text.ts'

/** Characters that texts may have where nobody named a budget. */
const LIMITS = { result: 1200, input: 600, thinking: 800, note: 400, task: 2000 } as const

/** How long texts of each kind may be before anything has to be shortened. */
export type Limits = Readonly<Record<keyof typeof LIMITS, number>>

/** The usual limits; with a budget, texts are whole as far as it reaches, and are shortened until all fit. */
export function limitsFor(budget: number | undefined): Limits {
  if (budget === undefined) return LIMITS
  const most = budget * TOKEN_BYTES
  return { result: most, input: most, thinking: most, note: most, task: most }
}

/** Something of a compressed session: a text, or an element with others in it. */
export type XmlNode = Piece | Group

/** An element with others in it. */
export interface Group {
  readonly tag: string
  readonly attributes: Attributes
  readonly children: readonly XmlNode[]
  /** Left out to save room; how many were is said in their place. */
  isLeftOut?: boolean
}

/** An element that holds a text, which may be shortened. */
export class Piece implements Shortenable {
  readonly tag: string
  readonly attributes: Attributes
  readonly worth: Worth
  limit: number
  /** How many characters there were. */
  readonly chars: number
  /** Names the whole text where it is long enough that saying it twice would be a waste. */
  readonly hash: string | undefined
  readonly #head: string
  readonly #tail: string

  constructor(
    tag: string,
    text: string,
    worth: Worth,
    { limit = Number.POSITIVE_INFINITY, ...attributes }: PieceOptions = {},
  ) {
    const whole = legible(text).trim()
    this.tag = tag
    this.attributes = attributes
    this.worth = worth
    this.limit = limit
    this.chars = whole.length
    this.hash = whole.length < WORTH_NAMING ? undefined : createHash('sha256').update(whole).digest('base64url')
    const isCut = whole.length > limit + SLACK
    this.#head = isCut ? headOf(whole, headLength(limit)) : whole
    this.#tail = isCut ? tailOf(whole, limit - headLength(limit)) : ''
  }

  /** Its bytes, with its tags. */
  bytesAt(limit: number): number {
    return Buffer.byteLength(this.render({ limit }))
  }

  /** The element as text; `id` is what others refer to it by. */
  render({ limit = this.limit, id }: { readonly limit?: number; readonly id?: string | undefined } = {}): string {
    const { tag, chars } = this
    const opening = `<${tag}${xmlAttributes({ id, ...this.attributes })}`
    if (chars <= limit + SLACK) return chars === 0 ? `${opening}/>` : `${opening}>${xmlText(this.#head)}</${tag}>`
    if (limit === 0) return `${opening} cut="${chars}"/>`
    const head = headOf(this.#head, headLength(limit))
    const tail = limit > headLength(limit) ? tailOf(this.#tail || this.#head, limit - headLength(limit)) : ''
    const left = chars - head.length - tail.length
    return `${opening}>${xmlText(head)}<cut chars="${left}"/>${xmlText(tail)}</${tag}>`
  }
}

/** How long a text may be at first, and the attributes of its element. */
export interface PieceOptions extends Attributes {
  readonly limit?: number
}

/** Texts below this are said again: naming them would take as much. */
const WORTH_NAMING = 160

/** Cutting less than this would save nothing. */
const SLACK = 40

function headLength(limit: number): number {
  return Math.ceil((limit * 2) / 3)
}

/** Calls that hold nothing that must be kept, in order. */
export function* callsOf(nodes: readonly XmlNode[]): Generator<Group> {
  for (const node of nodes) {
    if (node instanceof Piece) continue
    const isNeeded = [...piecesOf([node])].some((piece) => piece.worth === 'kept')
    if (node.tag === CALL && !isNeeded) yield node
    else yield* callsOf(node.children)
  }
}

/** The element of a tool call. */
export const CALL = 'call'

/** All texts of some nodes, in order. */
export function* piecesOf(nodes: readonly XmlNode[]): Generator<Piece> {
  for (const node of nodes) {
    if (node instanceof Piece) yield node
    else yield* piecesOf(node.children)
  }
}
