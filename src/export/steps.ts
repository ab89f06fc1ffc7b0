import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { numberAt, parseJson, stringAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import type { LogRecord } from '../core/log/record.ts'
import { readLogFile } from '../disk/log-file.ts'
import { logOf } from '../history/gone.ts'
import { sessionItem } from '../history/list.ts'
import { rowsInside } from '../history/open.ts'
import { readWhole } from '../state/private-file.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { masked } from './masked.ts'
import { safePath, uniqueName } from './names.ts'
import { type Step, StepFold, type StepType } from './steps-fold.ts'

const SCHEMA = 'annals/steps/1'

/**
 * A session as a list of steps, one per block. Into a folder go `<session>/steps.jsonl` and `<session>/metadata.json`; where
 * an earlier export left them there, they are brought up to date: a log that only grew keeps the steps it has.
 */
export const steps: Exporter = {
  extension: 'jsonl',
  async *session(session, job) {
    const { library, files, agent } = session
    const context = { ...job.context, library }
    const log = await logOf(context, session)
    const found = await sessionItem(context, files)
    // The same session of two roots gets two folders.
    const folder = uniqueName(job, safePath(agent ? `${files.id}/agent-${agent.id}` : files.id))
    const mask = (text: string) => job.redactor?.text(text).text ?? text
    const fold = new StepFold({ session: files.id, isAgent: agent !== null }, mask)
    const only = await rowsInside(context, session)
    const add = (record: LogRecord) => {
      if (only?.has(record.place.offset) ?? true) fold.add(record)
    }
    const totals = readLogFile(library.source, log, { record: add })
    if (!totals) throw new Failure('SESSION_NOT_FOUND', `${log.path} is gone.`)
    const { title, project, createdAt, updatedAt } = masked(job, found)
    const metadata = {
      schema: SCHEMA,
      sessionId: files.id,
      title,
      project,
      createdAt,
      updatedAt,
      steps: fold.steps.length,
      types: countTypes(fold.steps),
      redacted: job.redactor !== undefined,
      rules: job.redactor?.version ?? null,
      log: { bytes: totals.bytes },
    }
    const had = stepsIn(job, folder)
    const replaces = had !== undefined
    const made = [
      {
        name: `${folder}/steps.jsonl`,
        content: fold.steps.map((step) => `${jsonText(step)}\n`),
        added: Math.max(0, fold.steps.length - (had ?? 0)),
      },
      { name: `${folder}/metadata.json`, content: [`${JSON.stringify(metadata, null, 2)}\n`] },
    ]
    for (const file of made) yield { ...file, replaces, isUnchanged: replaces && isThere(job.folder, file) }
  },
}

/** How many steps an earlier export to the same place had; `undefined` where what stands there is none. */
function stepsIn({ folder }: ExportJob, own: string): number | undefined {
  const bytes = folder === undefined ? undefined : readWhole(join(folder, own, 'metadata.json'))
  const metadata = parseJson(bytes?.toString('utf8') ?? '')
  return stringAt(metadata, 'schema') === SCHEMA ? (numberAt(metadata, 'steps') ?? 0) : undefined
}

/** Whether a folder has a file byte for byte. */
function isThere(folder: string | undefined, file: { readonly name: string; readonly content: readonly string[] }) {
  const bytes = folder === undefined ? undefined : readWhole(join(folder, file.name))
  return bytes?.equals(Buffer.from(file.content.join(''))) === true
}

function countTypes(all: readonly Step[]): Record<StepType, number> {
  const types = { user_message: 0, assistant_message: 0, tool_call: 0, tool_result: 0 }
  for (const { type } of all) types[type] += 1
  return types
}
