import type { CompactionItem } from '../core/tree/item-schema.ts'
import { typedText } from '../core/tree/item-text.ts'
import type { ShownItem, ShownTool } from '../history/view/item-shape.ts'
import { type ShownCall, shownCall } from './calls.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { dotted, moment, money, plural, took } from './figures.ts'
import { type MaskedAgent, type MaskedSession, type MaskedTurn, readMasked } from './masked.ts'
import { baseName, slug } from './names.ts'

/** How a kind of document looks. What is walked and in which order, which agents stand where, is the same for all. */
export interface Painter {
  readonly extension: string
  /** All of a session's document around its turns. */
  readonly session: (read: MaskedSession, job: ExportJob, turns: Iterable<string>) => Iterable<string>
  /** The same of an agent that has a document of its own; `back` leads to its session's. */
  readonly agentPage: (agent: MaskedAgent, about: AgentPage, turns: Iterable<string>) => Iterable<string>
  readonly turn: (turn: MaskedTurn, items: Iterable<string>) => Iterable<string>
  /** Agents that no call is known to have started. */
  readonly others: (agents: Iterable<string>) => Iterable<string>
  /** What was asked of an agent, and all that follows, folded. */
  readonly agentFold: (agent: MaskedAgent, parts: readonly string[]) => string
  readonly agentAsked: (text: string) => string
  readonly agentLink: (agent: MaskedAgent, href: string) => string
  readonly text: (text: string) => string
  readonly thinking: (text: string) => string
  readonly call: (call: ShownCall) => string
  readonly typed: (text: string, output: string | null) => string
  readonly compaction: (item: CompactionItem) => string
  readonly error: (text: string) => string
  readonly interrupt: string
  readonly note: (label: string, text: string) => string
}

/** What a page of an agent is made with, beside its turns. */
export interface AgentPage {
  readonly sessionTitle: string | null
  readonly back: string
  readonly isRedacted: boolean
}

/** The writer of such documents: one of the session, and where agents are linked, one of each of them beside it. */
export function pagesBy(painter: Painter): Required<Pick<Exporter, 'extension' | 'session'>> {
  const { extension } = painter
  return {
    extension,
    async *session(session, job) {
      const read = await readMasked(session, job)
      const base = baseName(read.head.session, job, read.head.agent?.id)
      const walk = walkOf(painter, read, job)
      const content = painter.session(read, job, walk.session({ depth: 0, links: `${base}/` }))
      yield { name: `${base}.${extension}`, content, item: read.item }
      if (job.options.agents !== 'linked') return
      const sessionTitle = read.head.session.title
      const about = { sessionTitle, back: `../${encodeURI(base)}.${extension}`, isRedacted: job.redactor !== undefined }
      for (const agent of read.agents) {
        const turns = walk.turns(agent, { depth: 0, links: '' })
        const name = `${base}/${fileName(agent.item.id, extension)}`
        yield { name, content: painter.agentPage(agent, about, turns) }
      }
    },
  }
}

/** What is told of a turn below what was asked: when, for how long, and what it cost. */
export function turnFacts({ prompt, startedAt, durationMs, costUsd }: MaskedTurn): string {
  return dotted([
    prompt?.kind === 'queued' ? 'queued' : '',
    moment(startedAt),
    took(durationMs),
    money(costUsd),
    prompt && prompt.images > 0 ? plural(prompt.images, 'image') : '',
  ])
}

function fileName(agent: string, extension: string): string {
  return `agent-${slug(agent, 60)}.${extension}`
}

/** Agents inside agents are opened so deep. */
const MOST_NESTED = 8

/** Where in a document something stands: inside how many agents, and how links to pages of agents begin there. */
interface Here {
  readonly depth: number
  readonly links: string
}

/** Walks through a session; knows which agents were shown where they were called. */
function walkOf(paint: Painter, read: MaskedSession, { options }: ExportJob) {
  const byId = new Map(read.agents.map((agent) => [agent.item.id, agent]))
  const shown = new Set<string>()

  function* session(here: Here): Generator<string> {
    yield* turns(read, here)
    const rest = read.agents.filter(({ item }) => !shown.has(item.id))
    if (rest.length > 0) yield* paint.others(rest.flatMap((agent) => agentParts(agent, here)))
  }

  function* turns(talk: Pick<MaskedSession, 'turns'>, here: Here): Generator<string> {
    for (const turn of talk.turns()) yield* paint.turn(turn, itemsOf(turn.items, here))
  }

  function* itemsOf(items: readonly ShownItem[], here: Here): Generator<string> {
    for (const item of items) yield* itemParts(item, here).filter((text) => text !== '')
  }

  function itemParts(item: ShownItem, here: Here): readonly string[] {
    switch (item.kind) {
      case 'text':
        return [paint.text(item.text)]
      case 'thinking':
        return options.thinking && item.text.trim() !== '' ? [paint.thinking(item.text)] : []
      case 'tool':
        return callParts(item, here)
      case 'command':
        return [paint.typed(typedText(item), item.output)]
      case 'bash':
        return [paint.typed(`! ${typedText(item)}`, item.output)]
      case 'compaction':
        return [paint.compaction(item)]
      case 'error':
        return [paint.error(item.text)]
      case 'interrupt':
        return [paint.interrupt]
      default:
        return item.text.trim() === '' ? [] : [paint.note('subtype' in item ? item.subtype : item.kind, item.text)]
    }
  }

  function callParts(item: ShownTool, here: Here): readonly string[] {
    const call = shownCall(item, read.head.session.project.path)
    const agents = call.agents.flatMap((id) => byId.get(id) ?? [])
    const own = agents.length > 0 && call.isAgent ? [] : [paint.call(call)]
    return [...own, ...agents.flatMap((agent) => agentParts(agent, here))]
  }

  function agentParts(agent: MaskedAgent, here: Here): readonly string[] {
    const { id } = agent.item
    const isLinked = options.agents === 'linked'
    if (!isLinked && (shown.has(id) || here.depth > MOST_NESTED)) return []
    shown.add(id)
    if (isLinked) return [paint.agentLink(agent, encodeURI(here.links + fileName(id, paint.extension)))]
    const inside = { ...here, depth: here.depth + 1 }
    const parts = [...agent.turns()].flatMap(({ prompt, items }) => [
      ...(prompt ? [paint.agentAsked(prompt.text)] : []),
      ...itemsOf(items, inside),
    ])
    return [paint.agentFold(agent, parts)]
  }

  return { session, turns }
}
