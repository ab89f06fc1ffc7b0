import { type CompactionItem, typedText } from '../core/tree/item-content.ts'
import type { ShownItem, ShownTool } from '../history/view/item-shape.ts'
import { type ShownCall, shownCall } from './calls.ts'
import type { Exporter, ExportJob } from './exporter.ts'
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
      const walk = new Walk(painter, read, job)
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

/** What is known while the pages of one session are written. */
class Walk {
  readonly #paint: Painter
  readonly #read: MaskedSession
  readonly #job: ExportJob
  readonly #byId: ReadonlyMap<string, MaskedAgent>
  /** Agents that were shown where they were called. */
  readonly #shown = new Set<string>()

  constructor(paint: Painter, read: MaskedSession, job: ExportJob) {
    this.#paint = paint
    this.#read = read
    this.#job = job
    this.#byId = new Map(read.agents.map((agent) => [agent.item.id, agent]))
  }

  *session(here: Here): Generator<string> {
    yield* this.turns(this.#read, here)
    const rest = this.#read.agents.filter(({ item }) => !this.#shown.has(item.id))
    if (rest.length > 0) yield* this.#paint.others(rest.flatMap((agent) => this.#agent(agent, here)))
  }

  *turns(talk: Pick<MaskedSession, 'turns'>, here: Here): Generator<string> {
    for (const turn of talk.turns()) yield* this.#paint.turn(turn, this.#items(turn.items, here))
  }

  *#items(items: readonly ShownItem[], here: Here): Generator<string> {
    for (const item of items) yield* this.#item(item, here).filter((text) => text !== '')
  }

  #item(item: ShownItem, here: Here): readonly string[] {
    const paint = this.#paint
    switch (item.kind) {
      case 'text':
        return [paint.text(item.text)]
      case 'thinking':
        return this.#job.options.thinking && item.text.trim() !== '' ? [paint.thinking(item.text)] : []
      case 'tool':
        return this.#call(item, here)
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

  #call(item: ShownTool, here: Here): readonly string[] {
    const call = shownCall(item, this.#read.head.session.project.path)
    const agents = call.agents.flatMap((id) => this.#byId.get(id) ?? [])
    const own = agents.length > 0 && call.isAgent ? [] : [this.#paint.call(call)]
    return [...own, ...agents.flatMap((agent) => this.#agent(agent, here))]
  }

  #agent(agent: MaskedAgent, here: Here): readonly string[] {
    const { id } = agent.item
    const isLinked = this.#job.options.agents === 'linked'
    if (!isLinked && (this.#shown.has(id) || here.depth > MOST_NESTED)) return []
    this.#shown.add(id)
    if (isLinked) return [this.#paint.agentLink(agent, encodeURI(here.links + fileName(id, this.#paint.extension)))]
    const inside = { ...here, depth: here.depth + 1 }
    const parts = [...agent.turns()].flatMap(({ prompt, items }) => [
      ...(prompt ? [this.#paint.agentAsked(prompt.text)] : []),
      ...this.#items(items, inside),
    ])
    return [this.#paint.agentFold(agent, parts)]
  }
}
