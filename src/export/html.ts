import { type CompactionItem, typedText } from '../core/tree/item-content.ts'
import type { ShownItem, ShownTool } from '../history/view/item-shape.ts'
import { type ShownCall, shownCall } from './calls.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { dotted, moment, money, plural, took } from './figures.ts'
import { facts, htmlIndex } from './html-index.ts'
import { pageEnd, pageStart } from './html-page.ts'
import { escaped, escapedLine, proseHtml } from './html-prose.ts'
import { type MaskedAgent, type MaskedSession, type MaskedTurn, readMasked } from './masked.ts'
import { baseName, slug } from './names.ts'
import { cut, shownLine } from './shown-text.ts'

/** One page that needs nothing but itself: what was asked as an index, answers as they look, the rest folded. */
export const html: Exporter = {
  extension: 'html',
  async *session(session, job) {
    const read = await readMasked(session, job)
    const base = baseName(read.head.session, job, read.head.agent?.id)
    const page = new Page(read, job, base)
    yield { name: `${base}.html`, content: page.session(), item: read.item }
    if (job.options.agents !== 'linked') return
    for (const agent of read.agents) {
      yield { name: `${base}/${agentName(agent.item.id)}`, content: page.agentPage(agent) }
    }
  },
  index: htmlIndex,
}

/** Agents inside agents are opened so deep. */
const MOST_NESTED = 8

/** Where in a page something stands: inside how many agents, and how links to pages of agents begin there. */
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
    const { usage } = this.#read
    const title = cut(shownLine(session.title ?? ''), 120) || 'Session'
    yield pageStart(title)
    yield `<header>\n<h1>${escapedLine(title)}</h1>\n`
    yield facts([session.project.path ?? session.project.key, session.gitBranch, moment(session.createdAt)])
    yield facts([
      plural(usage.responses, 'response'),
      `${plural(usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens, 'token')} in`,
      `${usage.outputTokens.toLocaleString('en-US')} out`,
      money(session.costUsd),
      this.#read.agents.length > 0 ? plural(this.#read.agents.length, 'agent') : '',
      ...(session.models ?? []),
      session.version === null ? '' : `Claude Code ${session.version}`,
    ])
    yield '</header>\n'
    yield* promptIndex(this.#read.prompts())
    yield '<main>\n'
    const here = { depth: 0, links: `${this.#base}/` }
    for (const turn of this.#read.turns()) yield* this.#turn(turn, here)
    yield* this.#others(here)
    yield '</main>\n'
    yield pageEnd(this.#job.redactor !== undefined)
  }

  *agentPage(agent: MaskedAgent): Generator<string> {
    const title = agentTitle(agent)
    yield pageStart(title)
    yield `<header>\n<h1>${escapedLine(title)}</h1>\n`
    const back = escapedLine(this.#read.head.session.title ?? '') || 'its session'
    yield `<p class="facts">An agent of <a href="../${encodeURI(this.#base)}.html">${back}</a></p>\n</header>\n<main>\n`
    for (const turn of agent.turns()) yield* this.#turn(turn, { depth: 0, links: '' })
    yield '</main>\n'
    yield pageEnd(this.#job.redactor !== undefined)
  }

  /** Agents that no call of the session is known to have started. */
  *#others(here: Here): Generator<string> {
    const rest = this.#read.agents.filter(({ item }) => !this.#shown.has(item.id))
    if (rest.length === 0) return
    yield '<section class="turn">\n<h2>Other agents</h2>\n'
    for (const agent of rest) yield* this.#agent(agent, here)
    yield '</section>\n'
  }

  *#turn(turn: MaskedTurn, here: Here): Generator<string> {
    yield `<section class="turn" id="t${turn.number}">\n`
    if (turn.prompt) yield promptHtml(turn)
    for (const item of turn.items) yield* this.#item(item, here)
    yield '</section>\n'
  }

  *#item(item: ShownItem, here: Here): Generator<string> {
    switch (item.kind) {
      case 'text':
        yield `${proseHtml(item.text)}\n`
        return
      case 'thinking':
        if (this.#job.options.thinking && item.text.trim() !== '') yield fold('Thinking', proseHtml(item.text))
        return
      case 'tool':
        yield* this.#call(item, here)
        return
      case 'command':
        yield typed(typedText(item), item.output)
        return
      case 'bash':
        yield typed(`! ${typedText(item)}`, item.output)
        return
      case 'compaction':
        yield seam(item)
        return
      case 'error':
        yield `<p class="error">✗ ${escaped(item.text)}</p>\n`
        return
      case 'interrupt':
        yield '<p class="note">Interrupted by the user.</p>\n'
        return
      default:
        if (item.text.trim() !== '') yield note('subtype' in item ? item.subtype : item.kind, item.text)
    }
  }

  *#call(item: ShownTool, here: Here): Generator<string> {
    const call = shownCall(item, this.#read.head.session.project.path)
    const agents = call.agents.flatMap((id) => this.#byId.get(id) ?? [])
    if (agents.length === 0 || !call.isAgent) yield callHtml(call)
    for (const agent of agents) yield* this.#agent(agent, here)
  }

  *#agent(agent: MaskedAgent, here: Here): Generator<string> {
    const { id } = agent.item
    const line = agentLine(agent)
    if (this.#job.options.agents === 'linked') {
      this.#shown.add(id)
      const href = encodeURI(here.links + agentName(id))
      yield `<p class="call agent">${line.replace(/<span class="did">(.*?)<\/span>/, `<a class="did" href="${href}">$1</a>`)}</p>\n`
      return
    }
    if (this.#shown.has(id) || here.depth > MOST_NESTED) return
    this.#shown.add(id)
    yield `<details class="call agent">\n<summary>${line}</summary>\n`
    for (const turn of agent.turns()) {
      if (turn.prompt) yield `<div class="asked">${proseHtml(turn.prompt.text)}</div>\n`
      for (const item of turn.items) yield* this.#item(item, { ...here, depth: here.depth + 1 })
    }
    yield '</details>\n'
  }
}

function agentName(id: string): string {
  return `agent-${slug(id, 60)}.html`
}

function agentTitle({ item }: MaskedAgent): string {
  const failed = item.failedAt === null ? '' : `✗ ${item.failedAt.reason}`
  return dotted([
    item.type ?? 'Agent',
    item.description,
    plural(item.toolUses, 'tool call'),
    money(item.costUsd),
    failed,
  ])
}

function agentLine({ item }: MaskedAgent): string {
  const failed = item.failedAt === null ? '' : `✗ ${item.failedAt.reason}`
  const outcome = dotted([plural(item.toolUses, 'tool call'), money(item.costUsd), cut(failed, 80)])
  const did = escapedLine(item.description ?? '') || 'agent'
  return [
    `<span class="who">◆ ${escapedLine(item.type ?? 'Agent')}</span>`,
    ` <span class="did">${did}</span>`,
    ` <span class="outcome">${escapedLine(outcome)}</span>`,
  ].join('')
}

function* promptIndex(prompts: Iterable<Pick<MaskedTurn, 'number' | 'prompt'>>): Generator<string> {
  let isOpen = false
  for (const { number, prompt } of prompts) {
    if (!prompt) continue
    if (!isOpen) yield '<nav aria-labelledby="prompts">\n<h2 id="prompts">Asked</h2>\n<ol>\n'
    isOpen = true
    const line = escapedLine(cut(shownLine(prompt.text), 120)) || 'An image'
    yield `<li value="${number}"><a href="#t${number}">${line}</a></li>\n`
  }
  if (isOpen) yield '</ol>\n</nav>\n'
}

/** What was asked, as it was written. */
function promptHtml(turn: MaskedTurn): string {
  const { prompt, number } = turn
  if (!prompt) return ''
  const mark = prompt.kind === 'bash' ? '! ' : ''
  const whole = `${mark}${prompt.text}`.trim()
  const isLong = whole.length > LONG_PROMPT
  const text = escaped(isLong ? cut(whole, LONG_PROMPT / 2) : whole) || 'An image'
  const more = `All of it: ${plural(whole.split('\n').length, 'line')}, ${plural(whole.length, 'character')}`
  const about = dotted([
    prompt.kind === 'queued' ? 'queued' : '',
    moment(turn.startedAt),
    took(turn.durationMs),
    money(turn.costUsd),
    prompt.images > 0 ? plural(prompt.images, 'image') : '',
  ])
  const output = (prompt.output ?? '').trim()
  return [
    `<h2><span class="asked">${text}</span></h2>\n`,
    `<p class="about"><a href="#t${number}">#${number}</a> <span>${escapedLine(about)}</span></p>\n`,
    isLong ? `<details class="call">\n<summary>${more}</summary>\n<pre>${escaped(whole)}</pre>\n</details>\n` : '',
    output === '' ? '' : `<pre>${escaped(output)}</pre>\n`,
  ].join('')
}

/** A prompt longer than this was pasted: it is folded. */
const LONG_PROMPT = 4000

function callHtml(call: ShownCall): string {
  const what = call.what === '' ? '' : ` <code>${escapedLine(call.what)}</code>`
  const outcome = call.outcome === '' ? '' : ` <span class="outcome">${escapedLine(call.outcome)}</span>`
  const line = `<b>${escapedLine(call.name)}</b>${what}${outcome}`
  const body = [
    call.asked ? `<pre>${escaped(call.asked.text)}</pre>` : '',
    call.hunks ? diffHtml(call.hunks) : '',
    call.plan === undefined ? '' : proseHtml(call.plan),
    call.result === '' ? '' : `<pre>${escaped(call.result)}</pre>`,
  ].join('')
  const look = call.isFailed ? 'call failed' : 'call'
  if (body === '') return `<p class="${look}">${line}</p>\n`
  return `<details class="${look}">\n<summary>${line}</summary>\n${body}\n</details>\n`
}

function diffHtml(hunks: NonNullable<ShownCall['hunks']>): string {
  const lines = hunks.flatMap(({ oldStart, newStart, lines }, at) => [
    ...(at === 0 && hunks.length === 1 ? [] : [`<span class="at">@@ −${oldStart} +${newStart} @@</span>`]),
    ...lines.map(diffLine),
  ])
  return `<pre class="diff">${lines.join('')}</pre>`
}

function diffLine(line: string): string {
  const text = escaped(line).replaceAll('\n', '␊')
  const look = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : 'at kept'
  return `<span class="${look}">${text}</span>`
}

function typed(text: string, output: string | null): string {
  const printed = (output ?? '').trim()
  const line = `<code>${escapedLine(text)}</code>`
  return printed === '' ? `<p class="call">${line}</p>\n` : fold(line, `<pre>${escaped(printed)}</pre>`)
}

function seam({ preTokens, postTokens, trigger, summary }: CompactionItem): string {
  const after = postTokens === null ? '' : ` → ${postTokens.toLocaleString('en-US')}`
  const tokens = preTokens === null ? '' : `${plural(preTokens, 'token')}${after}`
  const words = dotted([`Compacted${trigger === 'auto' ? ' by itself' : ''}`, tokens])
  return `<hr class="seam">\n<p class="compacted">${escapedLine(words)}</p>\n${summary ? fold('Summary', proseHtml(summary)) : ''}`
}

function fold(summary: string, body: string): string {
  return `<details class="call">\n<summary>${summary}</summary>\n${body}\n</details>\n`
}

function note(label: string, text: string): string {
  return `<p class="note"><b>${escapedLine(label.replaceAll('_', ' '))}</b> ${escaped(cut(text.trim(), 4000))}</p>\n`
}
