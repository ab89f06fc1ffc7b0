import type { Static } from '../../../core/schema.ts'
import type { AgentItem } from '../../../history/view/agent-item.ts'
import type { FollowedItem, ShownTool } from '../../../history/view/item-shape.ts'
import type { ShownTurn, WholeTurn } from '../../../history/view/turn-shape.ts'
import { indent, spaced } from './lines.ts'
import { modelsName } from './names.ts'
import { isPointed, type Pointed, pointedAt, unfolded } from './pointed.ts'
import { promptLines } from './prompt-lines.ts'
import { toolBody } from './tool-body.ts'
import { alignRows, isLookingAround, lookedAround, type ToolPlace, type ToolRow, toolRows } from './tool-line.ts'
import { itemLines } from './turn-item.ts'

/** An agent whose own turns are shown where it was started. */
export interface OpenedAgent {
  readonly agent: Static<typeof AgentItem>
  readonly turns: readonly ShownTurn[]
}

/** What turns are shown with. Agents are taken out of `unopened` as they are shown, so that none is shown twice. */
export interface TurnPlace extends ToolPlace {
  readonly width: number
  /** The model that was named before them: only another one is told. */
  readonly model?: string
  readonly unopened: Map<string, OpenedAgent>
  /** The row that the reader is opened at. */
  readonly point?: Pointed | null
}

/** Turns as a conversation, numbered; `heard` is called with each turn as it is read. */
export function turnLines(turns: readonly ShownTurn[], place: TurnPlace, heard?: (turn: WholeTurn) => void): string[] {
  const digits = turns.reduce((most, turn) => Math.max(most, String(turn.number).length), 1)
  const lead = digits + 3
  let model = place.model ?? ''
  return spaced(
    turns.map((one) => {
      // Once: of a huge session, iterating the items of a turn reads them from the log.
      const turn = { ...one, items: [...one.items] }
      heard?.(turn)
      return [
        ...askedLines(turn, { digits, model: changedModel(turn) }, place),
        ...indent(itemsLines(turn.items, { ...place, width: place.width - lead }), lead),
      ]
    }),
  )

  function changedModel({ models }: ShownTurn): string {
    const name = modelsName(models)
    if (name === '' || name === model) return ''
    model = name
    return name
  }
}

function askedLines(
  turn: ShownTurn,
  head: { readonly digits: number; readonly model: string },
  { width, view, point }: TurnPlace,
): string[] {
  if (!turn.prompt || !isPointed(turn.prompt, point)) return promptLines(turn, { ...head, width, view })
  return pointedAt(promptLines(turn, { ...head, width, view: unfolded(view) }))
}

/** The items of a turn: what was said as it was said, what was done in a line each. */
export function itemsLines(items: readonly FollowedItem[], place: TurnPlace): string[] {
  const blocks = blocksOf(items, place)
  const heads = alignRows(
    blocks.flatMap((block) => block.rows),
    place.width,
  )
  let used = 0
  return blocks.flatMap((block, at) => {
    const own = heads.slice(used, used + block.rows.length)
    used += block.rows.length
    const isApart = at > 0 && (block.isApart || blocks[at - 1]?.isApart)
    const lines = [...own, ...block.lines]
    return [...(isApart ? [''] : []), ...(block.isPointed ? pointedAt(lines) : lines)]
  })
}

/** A piece of a turn: rows that are laid out together with those of its neighbours, and lines below them. */
interface Block {
  readonly rows: readonly ToolRow[]
  readonly lines: readonly string[]
  /** Stands between empty lines. */
  readonly isApart: boolean
  readonly isPointed?: boolean
}

function blocksOf(items: readonly FollowedItem[], around: TurnPlace): readonly Block[] {
  const { width, point } = around
  const blocks: Block[] = []
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as FollowedItem
    const isMeant = isPointed(item, point)
    const place = isMeant ? { ...around, view: unfolded(around.view) } : around
    const { view } = place
    if (item.kind !== 'tool') {
      const lines = itemLines(item, place, width)
      const isSeam = item.kind === 'compaction'
      if (lines.length > 0)
        blocks.push({ rows: [], lines, isApart: lines.length > 1 || isSeam || isMeant, isPointed: isMeant })
      continue
    }
    if (view.tools === 'none') continue
    const group = quietCalls(items, at, point)
    if (view.tools === 'full' || group.length < 2) blocks.push({ ...callBlock(item, place), isPointed: isMeant })
    else {
      blocks.push({ rows: [lookedAround(group, place)], lines: [], isApart: false })
      at += group.length - 1
    }
  }
  return blocks
}

/** The calls from one on that are not worth a line of their own. */
function quietCalls(items: readonly FollowedItem[], from: number, point: TurnPlace['point']): readonly ShownTool[] {
  const calls: ShownTool[] = []
  for (let at = from; at < items.length; at++) {
    const item = items[at] as FollowedItem
    if (item.kind !== 'tool' || !isLookingAround(item) || isPointed(item, point)) break
    calls.push(item)
  }
  return calls
}

function callBlock(item: ShownTool, place: TurnPlace): Block {
  const { view, width } = place
  const agents = item.agents.flatMap(({ id }) => openedLines(id, place))
  // An agent that is opened shows what it was asked and what it answered itself.
  const isFull = view.tools === 'full' && agents.length === 0
  const lines = isFull ? indent(toolBody(item, view, width - 2), 2) : agents
  return { rows: toolRows(item, place), lines, isApart: lines.length > 0 }
}

const NARROWEST = 30

/** The turns of an agent behind a line, below the call that started it. */
function openedLines(id: string, place: TurnPlace): string[] {
  const opened = place.unopened.get(id)
  if (!opened || place.width < NARROWEST) return []
  place.unopened.delete(id)
  const inner = turnLines(opened.turns, { ...place, width: place.width - 2 })
  return indent(inner, `${place.view.style.dim('│')} `)
}
