import type { CompactionItem } from '../core/tree/item-schema.ts'
import type { ShownCall } from './calls.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { dotted, moment, money, plural } from './figures.ts'
import { facts, htmlIndex } from './html-index.ts'
import { pageEnd, pageStart } from './html-page.ts'
import { escaped, escapedLine, proseHtml } from './html-prose.ts'
import type { MaskedAgent, MaskedSession, MaskedTurn } from './masked.ts'
import { pagesBy, turnFacts } from './pages.ts'
import { cut, shownLine } from './shown-text.ts'

/** One page that needs nothing but itself: what was asked as an index, answers as they look, the rest folded. */
export const html: Exporter = {
  ...pagesBy({
    extension: 'html',
    session: sessionPage,
    *agentPage(agent, { sessionTitle, back, isRedacted }, turns) {
      const title = agentTitle(agent)
      yield `${pageStart(title)}<header>\n<h1>${escapedLine(title)}</h1>\n`
      const name = escapedLine(sessionTitle ?? '') || 'its session'
      yield `<p class="facts">An agent of <a href="${back}">${name}</a></p>\n</header>\n<main>\n`
      yield* turns
      yield `</main>\n${pageEnd(isRedacted)}`
    },
    *turn(turn, items) {
      yield `<section class="turn" id="t${turn.number}">\n${promptHtml(turn)}`
      yield* items
      yield '</section>\n'
    },
    *others(agents) {
      yield '<section class="turn">\n<h2>Other agents</h2>\n'
      yield* agents
      yield '</section>\n'
    },
    agentFold: (agent, parts) =>
      `<details class="call agent">\n<summary>${agentLine(agent)}</summary>\n${parts.join('')}</details>\n`,
    agentAsked: (text) => `<div class="asked">${proseHtml(text)}</div>\n`,
    agentLink: (agent, href) => `<p class="call agent">${agentLine(agent, href)}</p>\n`,
    text: (text) => `${proseHtml(text)}\n`,
    thinking: (text) => fold('Thinking', proseHtml(text)),
    call: callHtml,
    typed,
    compaction: seam,
    error: (text) => `<p class="error">✗ ${escaped(text)}</p>\n`,
    interrupt: '<p class="note">Interrupted by the user.</p>\n',
    note,
  }),
  index: htmlIndex,
}

function* sessionPage(read: MaskedSession, { redactor }: ExportJob, turns: Iterable<string>): Generator<string> {
  const { item: session, usage, agents } = read
  const title = cut(shownLine(session.title ?? ''), 120) || 'Session'
  yield `${pageStart(title)}<header>\n<h1>${escapedLine(title)}</h1>\n`
  yield facts([session.project.path ?? session.project.key, session.gitBranch, moment(session.createdAt)])
  yield facts([
    plural(usage.responses, 'response'),
    `${plural(usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens, 'token')} in`,
    `${usage.outputTokens.toLocaleString('en-US')} out`,
    money(session.costUsd),
    agents.length > 0 ? plural(agents.length, 'agent') : '',
    ...(session.models ?? []),
    session.version === null ? '' : `Claude Code ${session.version}`,
  ])
  yield '</header>\n'
  yield* promptIndex(read.prompts())
  yield '<main>\n'
  yield* turns
  yield `</main>\n${pageEnd(redactor !== undefined)}`
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

/** An agent on one line, which leads to its page where it has one. */
function agentLine({ item }: MaskedAgent, href?: string): string {
  const failed = item.failedAt === null ? '' : `✗ ${item.failedAt.reason}`
  const outcome = dotted([plural(item.toolUses, 'tool call'), money(item.costUsd), cut(failed, 80)])
  const did = escapedLine(item.description ?? '') || 'agent'
  return [
    `<span class="who">◆ ${escapedLine(item.type ?? 'Agent')}</span>`,
    href === undefined ? ` <span class="did">${did}</span>` : ` <a class="did" href="${href}">${did}</a>`,
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
  const about = turnFacts(turn)
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
