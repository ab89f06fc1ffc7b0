import { fenced, inlineCode, quoted } from '../core/markdown/text.ts'
import type { CompactionItem } from '../core/tree/item-schema.ts'
import { sumCosts } from '../history/usage/spending.ts'
import type { ShownCall } from './calls.ts'
import type { ExportedSession, Exporter, ExportFile, ExportJob } from './exporter.ts'
import { dotted, moment, money, plural } from './figures.ts'
import { frontMatter } from './front-matter.ts'
import { folded, htmlInline, plainInline, prose } from './markdown-text.ts'
import { agentName, type MaskedAgent, type MaskedTurn } from './masked.ts'
import { pagesBy, turnFacts } from './pages.ts'
import { cut, shownLine, shownText } from './shown-text.ts'

/** Markdown to read: front matter, what was asked as headings, answers as they are, the rest folded. */
export const markdown: Exporter = {
  ...pagesBy({
    extension: 'md',
    *session(read, { redactor }, turns) {
      const { item: session } = read
      yield frontMatter(read, redactor !== undefined)
      yield `\n# ${plainInline(cut(shownLine(session.title ?? ''), 120)) || 'Session'}\n`
      const where = session.project.path ?? session.project.key
      const about = dotted([where, session.gitBranch, moment(session.createdAt), money(session.costUsd)])
      if (about !== '') yield `\n${plainInline(about)}\n`
      yield* turns
    },
    *agentPage(agent, { sessionTitle, back }, turns) {
      yield `# ${plainInline(agentTitle(agent))}\n`
      yield `\nAn agent of [${plainInline(sessionTitle ?? '') || 'this session'}](${back}).\n`
      yield* turns
    },
    *turn(turn, items) {
      if (turn.prompt) yield `\n${promptText(turn)}\n`
      for (const item of items) yield `\n${item}\n`
    },
    *others(agents) {
      yield '\n## Other agents\n'
      for (const agent of agents) yield `\n${agent}\n`
    },
    agentFold: (agent, parts) => folded(`◆ ${htmlInline(agentTitle(agent))}`, parts.join('\n\n')),
    agentAsked: (text) => quoted(prose(text, 3)),
    agentLink: (agent, href) => `◆ [${plainInline(agentTitle(agent))}](${href})`,
    text: (text) => prose(text, 2),
    thinking: (text) => folded('Thinking', prose(text, 2)),
    call: callText,
    typed: outputText,
    compaction: seam,
    error: (text) => quoted(`**✗ Error:** ${plainInline(text)}`),
    interrupt: '*Interrupted by the user.*',
    note: (label, text) => quoted(`*${plainInline(label)}:* ${plainInline(cut(text, 2000))}`),
  }),
  index,
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
  const about = turnFacts(turn)
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
  const cost = sumCosts(sessions.map(({ item }) => item))
  const about = dotted([plural(sessions.length, 'session'), money(cost)])
  const head = ['| Last | Session | Project | Prompts | Cost |', '| --- | --- | --- | --: | --: |']
  return { name: 'index.md', content: [`# Sessions\n\n${plainInline(about)}\n\n${[...head, ...rows].join('\n')}\n`] }
}
