import type { MaskedSession } from './masked.ts'
import { shownLine } from './shown-text.ts'

/** What a session is, as the YAML that Markdown tools read. What is not known is left out. */
export function frontMatter({ item: session, usage, agents }: MaskedSession, isRedacted: boolean): string {
  const fields: readonly (readonly [string, string | number | boolean | readonly string[] | null])[] = [
    ['id', session.id],
    ['title', session.title],
    ['project', session.project.path],
    ['gitBranch', session.gitBranch],
    ['createdAt', session.createdAt],
    ['updatedAt', session.updatedAt],
    ['models', session.models],
    ['responses', usage.responses],
    ['inputTokens', usage.inputTokens],
    ['outputTokens', usage.outputTokens],
    ['cacheReadTokens', usage.cacheReadTokens],
    ['cacheWriteTokens', usage.cacheWrite5mTokens + usage.cacheWrite1hTokens],
    ['costUsd', session.costUsd === null ? null : Number(session.costUsd.toFixed(6))],
    ['agents', session.agents?.length ?? agents.length],
    ['version', session.version],
    ['redacted', isRedacted],
  ]
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scalar(value)}`]))
  return ['---', ...lines, '---', ''].join('\n')
}

/** A text in double quotes is the same in YAML and JSON; a list in brackets too. */
function scalar(value: string | number | boolean | readonly string[]): string {
  if (typeof value === 'string') return JSON.stringify(shownLine(value))
  return typeof value === 'object' ? `[${value.map(scalar).join(', ')}]` : String(value)
}
