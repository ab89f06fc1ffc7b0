import type { Static } from '../../core/schema.ts'
import type { AgentItem } from '../../history/view/agent-item.ts'
import type { ShownTool } from '../../history/view/item-shape.ts'
import type { SessionItem } from '../../history/view/session-item.ts'
import type { WholeTurn } from '../../history/view/turn-shape.ts'
import type { show } from '../../ops/show.ts'
import { calendarDay, clockTime } from '../terminal/day.ts'
import { count, duration, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { agentHead } from './parts/agent-card.ts'
import { dotted, dottedLines, footer, indent, type Lines, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { cost, expiry, inheritance, modelsName, moment, projectName, shortId, when } from './parts/names.ts'
import { withBar } from './parts/pointed.ts'
import { sessionTitle } from './parts/session-line.ts'
import { toolRows } from './parts/tool-line.ts'
import { type OpenedAgent, type TurnPlace, turnLines } from './parts/turn.ts'

type Show = Static<typeof show.result>

/** A session, or an agent, as a conversation. */
export function formatShow(result: Show, asked: View): Lines {
  const { session, agent, turns } = result
  const view: View = { ...asked, unfold: '--full' }
  const width = measure(view)
  const unopened = new Map(result.agents.map((opened) => [opened.agent.id, opened]))
  const folder = session.project.path
  const model = modelsName((agent ?? session).models)
  const place: TurnPlace = { view, width, folder, unopened, model, point: result.point }
  const failed = new FailedCalls()
  const said = turnLines(turns, place, (turn) => failed.add(turn))
  const lines = spaced([
    agent ? agentHead(agent, view) : sessionHead(session, view),
    said.length > 0 ? said : nothing('This session has no messages.', view),
    ...[...unopened.values()].map((opened) => aloneLines(opened, place)),
    footer([
      ...hiddenTurns(result, view),
      ...failedLines(failed, place),
      ...branchLines(result, view),
      ...nextSteps(nextCommands(result, agent), view),
    ]),
  ])
  return result.point ? withBar(lines, view.style) : lines
}

/** The title of a session, and below it where, when, how long and until when. */
export function sessionHead(session: SessionItem, view: View): string[] {
  const { style } = view
  const expires = session.kept ? undefined : expiry(session.expiresAt, view)
  const facts = [
    projectName(session.project),
    oneLine(session.gitBranch ?? ''),
    session.status === 'live' ? `${style.good('●')} live` : dayAndTime(session, view),
    session.activeMs ? `${duration(session.activeMs)} active` : '',
    modelsName(session.models),
    cost(session.costUsd),
    inheritance(session.inherited),
    session.kept ? 'kept' : expires ? (expires.isSoon ? style.warn(expires.text) : expires.text) : '',
  ]
  const relations = dotted([
    session.forkedFrom === null ? '' : `forked from ${shortId(session.forkedFrom)}`,
    session.continues === null ? '' : `continues ${shortId(session.continues)}`,
    session.continuedIn === null ? '' : `continued in ${shortId(session.continuedIn)}`,
  ])
  const marks = `${session.starred ? `${style.warn('★')} ` : ''}${session.tags.map((tag) => `${style.accent(`#${oneLine(tag)}`)} `).join('')}`
  return [
    truncate(`${marks}${style.title(sessionTitle(session, view))}`, view.width),
    ...dottedLines(facts, view.width),
    ...(session.note === null ? [] : wrap(`✎ ${oneLine(session.note)}`, view.width)),
    ...(relations === '' ? [] : [truncate(style.dim(relations), view.width)]),
  ]
}

/** The day of its last row, and at what time it began: `yesterday 09:00`. */
function dayAndTime({ createdAt, updatedAt }: SessionItem, view: View): string {
  if (view.width === Number.POSITIVE_INFINITY) return moment(createdAt, view)
  const day = (iso: string | null) => calendarDay(Date.parse(iso ?? ''), view.timeZone)
  const isToday = day(updatedAt) === calendarDay(view.now.getTime(), view.timeZone)
  return `${isToday ? 'today' : when(updatedAt, view)} ${clockTime(createdAt, view.timeZone)}`.trim()
}

/** The calls that failed: how many, and the first of them. A huge session has many, and each holds what it was answered. */
class FailedCalls {
  count = 0
  readonly first: { readonly turn: number; readonly item: ShownTool }[] = []

  add({ number: turn, items }: WholeTurn): void {
    for (const item of items) {
      if (item.kind !== 'tool' || item.outcome !== 'failed') continue
      this.count += 1
      if (this.count <= MOST_NAMED) this.first.push({ turn, item })
    }
  }
}

const MOST_NAMED = 3

/** The calls that failed, by name: on a long page they are easily missed. */
function failedLines(failed: FailedCalls, place: TurnPlace): string[] {
  const { style, width } = place.view
  if (failed.count === 0 || place.view.tools === 'none') return []
  const named = failed.first.map(({ turn, item }) => {
    const [row] = toolRows(item, place)
    return `${turn}: ${truncate(`${row?.verb ?? ''} ${row?.what ?? ''}`.trim(), 40)}`
  })
  const more = failed.count > named.length ? [`${count(failed.count - named.length)} more`] : []
  return [
    truncate(`${style.bad('✗')} ${plural(failed.count, 'call')} failed · ${[...named, ...more].join(' · ')}`, width),
  ]
}

/** An agent that no call on this branch started. */
function aloneLines(opened: OpenedAgent, place: TurnPlace): string[] {
  const bar = `${place.view.style.dim('│')} `
  return [
    ...agentHead(opened.agent, place.view),
    ...indent(turnLines(opened.turns, { ...place, width: place.width - 2 }), bar),
  ]
}

function hiddenTurns({ turns, totalTurns }: Show, view: View): string[] {
  const shown = turns.filter((turn) => turn.number > 0).length
  if (shown >= totalTurns) return []
  return [view.style.dim(truncate(`${count(shown)} of ${plural(totalTurns, 'turn')} shown`, view.width))]
}

/** Where the conversation was taken back and went on differently. */
function branchLines(result: Show, view: View): string[] {
  const { style } = view
  if (result.branch === 'all') {
    const n = result.branches.length
    return n > 1 ? [style.dim(truncate(`All ${count(n)} branches, in the order they were written`, view.width))] : []
  }
  const others = result.branches.filter((branch) => branch.leaf !== result.branch)
  const abandoned = new Map<number | null, typeof others>()
  for (const branch of others) {
    const { after } = branch
    if (!branch.active) abandoned.set(after, [...(abandoned.get(after) ?? []), branch])
  }
  const lines = [...abandoned].map(([after, branches]) => {
    const many = branches.length === 1 ? 'one abandoned branch' : `${count(branches.length)} abandoned branches`
    const where = after === null || after === 0 ? ' at the start' : ` after ${after}`
    const title = branches.length === 1 ? oneLine(branches[0]?.title ?? '') : ''
    return `↶ ${many}${where}${title === '' ? '' : `: ${title}`}`
  })
  const isAbandoned = others.some((branch) => branch.active)
  if (isAbandoned) lines.unshift('↶ This branch was abandoned; the conversation continued in another')
  return lines.map((line) => style.warn(truncate(line, view.width)))
}

function nextCommands({ session, branches }: Show, agent: Static<typeof AgentItem> | null): string[] {
  const id = shortId(session.id)
  if (agent) return [`annals show ${id}`]
  const tree = branches.length > 1 ? [`annals show ${id} --tree`] : []
  return session.file === null ? tree : [`annals resume ${id}`, ...tree]
}
