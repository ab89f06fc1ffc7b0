import type { Static } from '../../../core/schema.ts'
import type { AgentItem } from '../../../history/view/agent-item.ts'
import { foldLines } from '../../terminal/fold.ts'
import { bytes, duration, plural, tokens } from '../../terminal/human.ts'
import { renderMarkdown } from '../../terminal/markdown.ts'
import { oneLine, plain } from '../../terminal/sanitize.ts'
import { truncate, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted, indent, measure, nextSteps, spaced } from './lines.ts'
import { cost, placeName, shortId, when } from './names.ts'

type Agent = Static<typeof AgentItem>

/** Everything about one agent: what it was asked, did, returned, and where it failed. */
export function agentCard(agent: Agent, view: View): string[] {
  const { style } = view
  const width = measure(view) - 2
  const asked = agent.prompt === null ? [] : foldLines(agent.prompt, { head: 30, columns: Number.POSITIVE_INFINITY })
  return spaced([
    agentHead(agent, view),
    asked.length > 0
      ? [
          style.title('Asked'),
          ...indent(
            asked.flatMap((line) => wrap(line, width)),
            2,
          ),
        ]
      : [],
    agent.result === null
      ? []
      : [style.title('Answered'), ...indent(renderMarkdown(agent.result, { width, style }), 2)],
    agent.failedAt === null ? [] : failureLines(agent.failedAt, view),
    originLines(agent, view),
    nextSteps([`annals show agent-${shortId(agent.id)}`, `annals show ${shortId(agent.session)}`], view),
  ])
}

/** An agent's name and, below it, what it took. */
export function agentHead(agent: Agent, view: View): string[] {
  const { style } = view
  const tookMs = agent.reported.durationMs ?? Date.parse(agent.endedAt ?? '') - Date.parse(agent.startedAt ?? '')
  const facts = dotted([
    agent.class === 'task' ? '' : oneLine(agent.class),
    when(agent.startedAt, view),
    tookMs > 0 ? duration(tookMs) : '',
    plural(agent.toolUses, 'tool'),
    agent.models.map(oneLine).join(', '),
    cost(agent.costUsd),
  ])
  const used = dotted([
    `${tokens(agent.usage.outputTokens)} tokens out`,
    `${tokens(agent.usage.inputTokens + cacheWrites(agent))} in`,
    `${tokens(agent.usage.cacheReadTokens)} from cache`,
    `${plural(agent.lines, 'line')}, ${bytes(agent.sizeBytes)}`,
  ])
  const name = `${style.accent('◆')} ${style.title(oneLine(agent.type ?? 'agent'))}`
  const title = `${name}  ${oneLine(agent.description ?? '')}`.trimEnd()
  return [title, facts, style.dim(used)].map((line) => truncate(line, view.width))
}

function cacheWrites({ usage }: Agent): number {
  return usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
}

function failureLines(failedAt: NonNullable<Agent['failedAt']>, view: View): string[] {
  const { style, width } = view
  const reason = wrap(plain(failedAt.reason), measure(view) - 2)
  return [style.bad('✗ Failed'), ...indent(reason, 2), `  ${style.dim(placeName(failedAt, view, width - 2))}`]
}

/** Where it came from, and how we know. */
function originLines(agent: Agent, view: View): string[] {
  const rule = agent.linkedBy.call
  const parent =
    agent.parentAgent === null ? `session ${shortId(agent.session)}` : `agent-${shortId(agent.parentAgent)}`
  const lines = [
    `agent-${oneLine(agent.id)}, started by ${parent}${rule === null ? ' (the call is not known)' : ` (known by ${oneLine(rule)})`}`,
    ...(agent.call ? [placeName(agent.call, view, view.width)] : []),
  ]
  return lines.map((line) => view.style.dim(truncate(line, view.width)))
}
