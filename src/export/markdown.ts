import { fenced, inlineCode, quoted } from '../core/markdown/text.ts'
import { type CompactionItem, typedText } from '../core/tree/item-content.ts'
import type { ShownItem, ShownTool } from '../history/view/item-shape.ts'
import { type ShownCall, shownCall } from './calls.ts'
import type { ExportedSession, Exporter, ExportFile, ExportJob } from './exporter.ts'
import { dotted, moment, money, plural, took } from './figures.ts'
import { frontMatter } from './front-matter.ts'
import { folded, htmlInline, plainInline, prose } from './markdown-text.ts'
import { agentName, type MaskedAgent, type MaskedSession, type MaskedTurn, readMasked } from './masked.ts'
import { baseName, slug } from './names.ts'
import { cut, shownLine, shownText } from './shown-text.ts'
import { sumCounts } from './totals.ts'

/** Markdown to read: front matter, what was asked as headings, answers as they are, the rest folded. */
export const markdown: Exporter = {
  extension: 'md',
  async *session(session, job) {
    const read = await readMasked(session, job)
    const base = baseName(read.head.session, job, read.head.agent?.id)
    const page = new Page(read, job, base)
    yield { name: `${base}.md`, content: page.session(), item: read.item }
    if (job.options.agents !== 'linked') return
    for (const agent of read.agents) yield { name: page.agentFile(agent), content: page.agentPage(agent) }
  },
  index,
}

/** Agents inside agents are opened so deep. */
const MOST_NESTED = 8

/** Where in a document something stands: inside how many agents, and how links to pages of agents begin there. */
interface Here {
  readonly depth: number
  readonly links: string
}

/** What is known while the pages of one session are written. */
class Page {
  readonly #read: MaskedSession
  readonly #job: ExportJob
  readonly #base: string
  readonly #byId: ReadonlyMap<string, MaskedAgent>
  /** Agents that were shown where they were called. */
  readonly #shown = new Set<string>()

  constructor(read: MaskedSession, job: ExportJob, base: string) {
    this.#read = read
    this.#job = job
    this.#base = base
    this.#byId = new Map(read.agents.map((agent) => [agent.item.id, agent]))
  }

  *session(): Generator<string> {
    const { item: session } = this.#read
    yield frontMatter(this.#read, this.#job.redactor !== undefined)
    yield `\n# ${plainInline(cut(shownLine(session.title ?? ''), 120)) || 'Session'}\n`
    const about = dotted([
      session.project.path ?? session.project.key,
      session.gitBranch,
      moment(session.createdAt),
      money(session.costUsd),
    ])
    if (about !== '') yield `\n${plainInline(about)}\n`
    const here = { depth: 0, links: `${this.#base}/` }
    for (const turn of this.#read.turns()) yield* this.#turn(turn, here)
    yield* this.#others(here)
  }

  agentFile({ item }: MaskedAgent): string {
    return `${this.#base}/${agentFileName(item.id)}`
  }

  *agentPage(agent: MaskedAgent): Generator<string> {
    const { title } = this.#read.head.session
    yield `# ${plainInline(agentTitle(agent))}\n`
    yield `\nAn agent of [${plainInline(title ?? '') || 'this session'}](../${this.#base}.md).\n`
    for (const turn of agent.turns()) yield* this.#turn(turn, { depth: 0, links: '' })
  }

  /** Agents that no call of the session is known to have started. */
  *#others(here: Here): Generator<string> {
    const rest = this.#read.agents.filter(({ item }) => !this.#shown.has(item.id))
    if (rest.length === 0) return
    yield '\n## Other agents\n'
    for (const agent of rest) yield `\n${[...this.#agent(agent, here)].join('\n\n')}\n`
  }

  *#turn(turn: MaskedTurn, here: Here): Generator<string> {
    if (turn.prompt) yield `\n${promptText(turn)}\n`
    for (const item of turn.items) {
      const text = this.#item(item, here)
      if (text !== '') yield `\n${text}\n`
    }
  }

  #item(item: ShownItem, here: Here): string {
    switch (item.kind) {
      case 'text':
        return prose(item.text, 2)
      case 'thinking':
        return this.#job.options.thinking && item.text.trim() !== '' ? folded('Thinking', prose(item.text, 2)) : ''
      case 'tool':
        return this.#call(item, here)
      case 'command':
        return outputText(typedText(item), item.output)
      case 'bash':
        return outputText(`! ${typedText(item)}`, item.output)
      case 'compaction':
        return seam(item)
      case 'error':
        return quoted(`**✗ Error:** ${plainInline(item.text)}`)
      case 'interrupt':
        return '*Interrupted by the user.*'
      default: {
        const label = plainInline('subtype' in item ? item.subtype : item.kind)
        return item.text.trim() === '' ? '' : quoted(`*${label}:* ${plainInline(cut(item.text, 2000))}`)
      }
    }
  }

  #call(item: ShownTool, here: Here): string {
    const call = shownCall(item, this.#read.head.session.project.path)
    const agents = call.agents.flatMap((id) => this.#byId.get(id) ?? [])
    const own = agents.length > 0 && call.isAgent ? [] : [callText(call)]
    return [...own, ...agents.flatMap((agent) => [...this.#agent(agent, here)])].join('\n\n')
  }

  *#agent(agent: MaskedAgent, here: Here): Generator<string> {
    const { id } = agent.item
    if (this.#job.options.agents === 'linked') {
      this.#shown.add(id)
      yield `◆ [${plainInline(agentTitle(agent))}](${encodeURI(here.links + agentFileName(id))})`
      return
    }
    if (this.#shown.has(id) || here.depth > MOST_NESTED) return
    this.#shown.add(id)
    const parts: string[] = []
    for (const turn of agent.turns()) {
      if (turn.prompt) parts.push(quoted(prose(turn.prompt.text, 3)))
      parts.push(...turn.items.map((item) => this.#item(item, { ...here, depth: here.depth + 1 })))
    }
    const body = parts.filter((part) => part !== '').join('\n\n')
    yield folded(`◆ ${htmlInline(agentTitle(agent))}`, body)
  }
}

function agentFileName(id: string): string {
  return `agent-${slug(id, 60)}.md`
}

function agentTitle({ item }: MaskedAgent): string {
  const failed = item.failedAt === null ? '' : `✗ ${item.failedAt.reason}`
  return dotted([agentName(item), plural(item.toolUses, 'tool call'), money(item.costUsd), failed])
}

/** A heading that says what was asked; all of it below, where the heading cannot. */
function promptText(turn: MaskedTurn): string {
  const { prompt, number } = turn
  if (!prompt) return ''
  const line = shownLine(prompt.text)
  const short = cut(line, 100)
  const title = plainInline(prompt.kind === 'bash' ? `! ${short}` : short) || (prompt.images > 0 ? 'An image' : '…')
  const about = dotted([
    prompt.kind === 'queued' ? 'queued' : '',
    moment(turn.startedAt),
    took(turn.durationMs),
    money(turn.costUsd),
    prompt.images > 0 ? plural(prompt.images, 'image') : '',
  ])
  const isWhole = line === short && !prompt.text.trim().includes('\n')
  const output = shownText(prompt.output ?? '').trim()
  return [
    `## ${number}. ${title}`,
    ...(about === '' ? [] : [`*${plainInline(about)}*`]),
    ...(isWhole ? [] : [quoted(prompt.kind === 'bash' ? fenced(shownText(prompt.text), 'sh') : prose(prompt.text, 2))]),
    ...(output === '' ? [] : [fenced(output)]),
  ].join('\n\n')
}

function callText(call: ShownCall): string {
  const mark = call.isFailed ? '✗ ' : ''
  const what = call.what === '' ? '' : ` <code>${htmlInline(call.what)}</code>`
  const outcome = call.outcome === '' ? '' : ` · ${htmlInline(call.outcome.replace(/^✗ /, ''))}`
  const summary = `${mark}<b>${htmlInline(call.name)}</b>${what}${outcome}`
  const body = [
    ...(call.asked ? [fenced(call.asked.text, call.asked.language)] : []),
    ...(call.hunks ? [fenced(diffText(call.hunks), 'diff')] : []),
    ...(call.plan === undefined ? [] : [prose(call.plan, 2)]),
    ...(call.result === '' ? [] : [fenced(call.result)]),
  ]
  if (body.length > 0) return folded(summary, body.join('\n\n'))
  const plain = dotted([call.outcome.replace(/^✗ /, '')])
  return `${mark}**${plainInline(call.name)}** ${inlineCode(shownText(call.what))}${plain === '' ? '' : ` · ${plainInline(plain)}`}`.trim()
}

function diffText(hunks: NonNullable<ShownCall['hunks']>): string {
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines.map((line) => shownText(line))].join('\n'),
    )
    .join('\n')
}

function outputText(typed: string, output: string | null): string {
  const printed = shownText(output ?? '').trim()
  return [inlineCode(shownText(typed)), ...(printed === '' ? [] : [fenced(printed)])].join('\n\n')
}

function seam({ preTokens, postTokens, trigger, summary }: CompactionItem): string {
  const tokens =
    preTokens === null ? '' : `: ${plural(preTokens, 'token')}${postTokens === null ? '' : ` → ${postTokens}`}`
  const words = `Compacted${trigger === null ? '' : ` (${trigger})`}${tokens}`
  return ['---', `*${plainInline(words)}*`, ...(summary ? [folded('Summary', prose(summary, 2))] : [])].join('\n\n')
}

function index(sessions: readonly ExportedSession[], _job: ExportJob): ExportFile {
  const rows = sessions.map(({ name, item }) => {
    const title = `[${plainInline(cut(shownLine(item.title ?? ''), 100)) || 'Session'}](${encodeURI(name)})`
    const prompts = item.counts === null ? '' : String(item.counts.prompts)
    const project = plainInline(item.project.path ?? item.project.key)
    return `| ${moment(item.updatedAt)} | ${title} | ${project} | ${prompts} | ${money(item.costUsd)} |`
  })
  const { costUsd } = sumCounts(sessions)
  const about = dotted([plural(sessions.length, 'session'), money(costUsd)])
  const head = ['| Last | Session | Project | Prompts | Cost |', '| --- | --- | --- | --: | --: |']
  return { name: 'index.md', content: [`# Sessions\n\n${plainInline(about)}\n\n${[...head, ...rows].join('\n')}\n`] }
}
