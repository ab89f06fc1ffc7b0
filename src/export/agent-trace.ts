import { createHash } from 'node:crypto'
import { grouped } from '../core/grouped.ts'
import type { AttributedCommit } from '../history/files/attribution.ts'

/**
 * The record of a commit as the Agent Trace specification, RFC 0.1, has it: its proven lines by session and model, which are named
 * by `url` and `model_id`, all others as of unknown origin.
 */
export function traceRecord(
  { commit, lines }: AttributedCommit,
  { version, now }: { readonly version: string; readonly now: Date },
) {
  const count = (rule: string) => lines.filter((line) => line.rule === rule).length
  return {
    version: '0.1' as const,
    id: idOf(commit.sha),
    timestamp: now.toISOString(),
    vcs: { type: 'git' as const, revision: commit.sha },
    tool: { name: 'annals', version },
    files: [...grouped(lines, ({ path }) => path)].map(([path, own]) => ({
      path,
      conversations: [...grouped(own, ({ call }) => JSON.stringify(call && [call.session, call.model])).values()].map(
        (same) => {
          const [{ call }] = same
          const ranges = rangesOf(same.map(({ line }) => line))
          if (!call) return { contributor: { type: 'unknown' as const }, ranges }
          const model = call.model === null ? {} : { model_id: modelId(call.model) }
          return { url: urlOf(call.session), contributor: { type: 'ai' as const, ...model }, ranges }
        },
      ),
    })),
    metadata: {
      annals: {
        added: lines.length,
        proven: count('proven'),
        outside: count('outside'),
        before: count('before'),
        unknown: count('unknown'),
      },
    },
  }
}

/** The same commit has the same id, as a UUID of our own making (version 8). */
function idOf(sha: string): string {
  const hex = createHash('sha256').update(`annals agent-trace ${sha}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function urlOf(session: string): string {
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(session)
  return isUuid ? `urn:uuid:${session}` : `urn:annals:${encodeURIComponent(session)}`
}

/** As models.dev names models. */
function modelId(model: string): string {
  return (model.startsWith('claude') ? `anthropic/${model}` : model).slice(0, 250)
}

function rangesOf(lines: readonly number[]): { start_line: number; end_line: number }[] {
  const ranges: { start_line: number; end_line: number }[] = []
  for (const line of lines) {
    const last = ranges.at(-1)
    if (last?.end_line === line - 1) last.end_line = line
    else ranges.push({ start_line: line, end_line: line })
  }
  return ranges
}
