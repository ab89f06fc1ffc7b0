import { Type } from '../core/schema.ts'
import { momentOf } from '../core/usage/moment.ts'
import { traceRecord } from '../export/agent-trace.ts'
import { AttributionShape, attribute } from '../history/files/attribution.ts'
import { defineOp } from './op.ts'

/** Says which sessions and models wrote what a repository's commits added. */
export const attribution = defineOp({
  name: 'attribution',
  alsoIn: 'Read',
  effort: 'long',
  teamStore: 'read',
  commandLineOnly: true,
  summary: 'Show which sessions wrote the commits of a repository.',
  examples: ['annals attribution', 'annals attribution --since 7d --json', 'annals attribution --agent-trace'],
  input: Type.Object({
    folder: Type.Optional(Type.String('A folder of the repository (default: this one)')),
    since: Type.Optional(Type.String('Commits since then: 7d, monday, 2026-11-01 (default: since the first log)')),
    'agent-trace': Type.Optional(Type.Boolean('Print Agent Trace records (RFC 0.1), one line for each commit')),
  }),
  positional: ['folder'],
  result: Type.Object({
    ...AttributionShape.properties,
    records: Type.Optional(Type.Array(Type.Record(Type.Unknown()), 'With --agent-trace: a record for each commit')),
  }),
  async run(context, { folder, since, 'agent-trace': isTrace }) {
    const from = since === undefined ? undefined : momentOf(since, context.now)
    const { attribution: found, commits } = await attribute(context, { folder, since: from })
    if (!isTrace) return found
    const made = { version: context.version ?? 'unknown', now: context.now }
    return { ...found, records: commits.map((commit) => ({ ...traceRecord(commit, made) })) }
  },
})
