import { jsonText } from '../core/json-text.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { type MaskedSession, readMasked } from './masked.ts'
import { baseName } from './names.ts'

/** Our own model as one JSON object: what `show --agents --tools full --thinking --json` says, without secrets. */
export const json: Exporter = {
  extension: 'json',
  async *session(session, job) {
    const read = await readMasked(session, job)
    yield {
      name: `${baseName(read.head.session, job, read.head.agent?.id)}.json`,
      content: pieces(read, job),
      item: read.head.session,
    }
  },
}

/** Turn by turn: the whole of a long session need not fit into one text. */
function* pieces({ head, turns, agents }: MaskedSession, job: ExportJob): Generator<string> {
  const start = { schema: 'annals/export/1', redacted: job.redactor !== undefined, ...head }
  yield `${jsonText(start).slice(0, -1)},"turns":`
  yield* list(turns())
  yield ',"agents":['
  for (const [at, { item, turns: own }] of agents.entries()) {
    yield `${at === 0 ? '' : ','}{"agent":${jsonText(item)},"turns":`
    yield* list(own())
    yield '}'
  }
  yield ']}\n'
}

function* list(values: Iterable<object>): Generator<string> {
  let isFirst = true
  for (const value of values) {
    yield `${isFirst ? '[' : ',\n'}${jsonText(value)}`
    isFirst = false
  }
  yield isFirst ? '[]' : ']'
}
