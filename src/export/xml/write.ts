import { TOKEN_BYTES } from '../../core/usage/token-bytes.ts'
import { estimateTokens, shorten } from './budget.ts'
import { callsOf, type Group, Piece, piecesOf, type XmlNode } from './model.ts'
import { xmlAttributes } from './text.ts'

/** Tokens that a part may have: what does not fit goes into the next, so that a reader can take one at a time. */
export const PART_TOKENS = 100_000

/**
 * Writes elements, cut into parts that can each be read alone: a text that stands in a part twice is told once and referred
 * to, and a turn that is cut goes on in the next part.
 */
export function writeParts(turns: readonly Group[], partTokens = PART_TOKENS): readonly string[] {
  const repeated = repeatedTexts(turns)
  const limit = partTokens * TOKEN_BYTES
  const parts: string[] = []
  let names: Names = new Map()
  let part = ''
  let size = 0
  const begin = () => {
    if (part !== '') parts.push(part)
    part = ''
    size = 0
    names = new Map()
  }
  for (const turn of turns) {
    let isBegun = false
    const open = () => {
      part += `<${turn.tag}${xmlAttributes({ ...turn.attributes, continued: isBegun ? 'yes' : null })}>\n`
      isBegun = true
    }
    if (size > limit * FULL) begin()
    open()
    for (const child of grouped(turn.children)) {
      let text = render(child, names, repeated)
      if (size > 0 && size + Buffer.byteLength(text) > limit) {
        part += `</${turn.tag}>\n`
        begin()
        open()
        // What it would have referred to is in the part before.
        text = render(child, names, repeated)
      }
      part += text
      size += Buffer.byteLength(text)
    }
    part += `</${turn.tag}>\n`
  }
  begin()
  return parts
}

/** A part that is filled to here does not begin another turn. */
const FULL = 0.95

/** Texts that occur more than once get a name where they occur first. */
function repeatedTexts(nodes: readonly XmlNode[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { hash } of piecesOf(nodes)) {
    if (hash === undefined) continue
    if (seen.has(hash)) repeated.add(hash)
    seen.add(hash)
  }
  return repeated
}

/** Some calls that were left out, in one place. */
interface LeftOut {
  readonly leftOut: number
}

/** Calls that were left out stand together as their number. */
function grouped(nodes: readonly XmlNode[]): readonly (XmlNode | LeftOut)[] {
  const made: (XmlNode | LeftOut)[] = []
  for (const node of nodes) {
    const isLeftOut = !(node instanceof Piece) && node.isLeftOut === true
    const last = made.at(-1)
    if (!isLeftOut) made.push(node)
    else if (last && 'leftOut' in last) made[made.length - 1] = { leftOut: last.leftOut + 1 }
    else made.push({ leftOut: 1 })
  }
  return made
}

/** The texts that a part has so far, by hash: how they are called, and how long they were left. */
type Names = Map<string, { readonly id: string; readonly limit: number }>

function render(node: XmlNode | LeftOut, names: Names, repeated: ReadonlySet<string>): string {
  if ('leftOut' in node) return `<left-out calls="${node.leftOut}"/>\n`
  if (!(node instanceof Piece)) {
    const opening = `<${node.tag}${xmlAttributes(node.attributes)}`
    const inside = grouped(node.children).map((child) => render(child, names, repeated))
    return inside.length === 0 ? `${opening}/>\n` : `${opening}>\n${inside.join('')}</${node.tag}>\n`
  }
  const { hash } = node
  if (hash === undefined || !repeated.has(hash)) return `${node.render()}\n`
  const known = names.get(hash)
  // What must be whole cannot refer to what was cut.
  if (known && known.limit >= node.limit) {
    return `<${node.tag}${xmlAttributes({ ...node.attributes, same: known.id })}/>\n`
  }
  const id = known ? `${known.id}w` : `t${names.size + 1}`
  names.set(hash, { id, limit: node.limit })
  return `${node.render({ id })}\n`
}

/** What came of the wish to fit into a budget. */
export interface Fitted {
  readonly tokens: number
  readonly fits: boolean
}

/** Shortens elements, given oldest first, until they fit into a budget of tokens, or only what must be kept is left. */
export function fitBudget(sessions: readonly (readonly Group[])[], budget: number): Fitted {
  const nodes = sessions.flat()
  const measure = () => sessions.reduce((sum, turns) => sum + bytesOf(writeParts(turns)), 0)
  const target = budget * TOKEN_BYTES
  const pieces = uniquePieces(sessions)
  let bytes = measure()
  // Texts that are told once and what parts repeat make the sum a guess: it is measured again.
  for (let round = 0; round < ROUNDS && bytes > target; round++) {
    shorten(pieces, bytes, target)
    bytes = measure()
  }
  for (const call of callsOf(nodes)) {
    if (bytes <= target) break
    call.isLeftOut = true
    bytes -= bytesOf([render(call, new Map(), new Set())])
  }
  bytes = measure()
  return { tokens: estimateTokens(bytes), fits: bytes <= target }
}

const ROUNDS = 4

/** The texts that are written out: what is only referred to saves nothing by being short. */
function uniquePieces(sessions: readonly (readonly Group[])[]): readonly Piece[] {
  return sessions.flatMap((turns) => {
    const seen = new Set<string>()
    return [...piecesOf(turns)].filter(({ hash, worth }) => {
      if (hash === undefined) return true
      const before = seen.size
      return seen.add(`${worth} ${hash}`).size > before
    })
  })
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
