import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isObject, type JsonValue, numberAt, objectAt, parseJson, stringAt, textAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import type { LogRecord } from '../core/log/record.ts'
import { readBytesAt, readLogFile } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { logOf } from '../history/gone.ts'
import { sessionItem } from '../history/list.ts'
import { rowsInside } from '../history/open.ts'
import { readWhole } from '../state/private-file.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { masked } from './masked.ts'
import { safePath } from './names.ts'
import { type Settled, type Step, StepFold, type StepType } from './steps-fold.ts'

/**
 * A session as a list of steps, one per block. Into a folder go `<session>/steps.jsonl` and `<session>/metadata.json`; where
 * they are there already and the log only grew, what is settled of them stays and only the rest of the log is read.
 */
export const steps: Exporter = {
  extension: 'jsonl',
  async *session(session, job) {
    const { library, files, agent } = session
    const context = { ...job.context, library }
    const log = logOf(context, session)
    const found = await sessionItem(context, files)
    const folder = ownFolder(agent ? `${files.id}/agent-${agent.id}` : files.id, job)
    const earlier = job.folder === undefined ? undefined : readEarlier(job.folder, folder, job, library.source, log)
    const mask = (text: string) => job.redactor?.text(text).text ?? text
    const fold = new StepFold({ session: files.id, isAgent: agent !== null }, mask, earlier?.steps)
    const from = earlier && { offset: earlier.settled.logBytes, line: earlier.settled.logLines }
    const only = rowsInside(context, session)
    const add = (record: LogRecord) => {
      if (only?.has(record.place.offset) ?? true) fold.add(record)
    }
    const totals = readLogFile(library.source, log, { record: add }, from)
    if (!totals) throw new Failure('SESSION_NOT_FOUND', `${log.path} is gone.`)
    const settled = fold.settled({ offset: totals.endOffset, line: totals.endLine })
    const all = [...(earlier?.steps ?? []), ...fold.steps]
    const lines = all.map(lineOf)
    const { title, project, createdAt, updatedAt } = masked(job, found)
    const metadata = {
      schema: 'annals/steps/1',
      sessionId: files.id,
      title,
      project,
      createdAt,
      updatedAt,
      steps: all.length,
      types: countTypes(all),
      redacted: job.redactor !== undefined,
      rules: job.redactor?.version ?? null,
      log: { bytes: (from?.offset ?? 0) + totals.bytes, settled: settledMark(settled, lines, library.source, log) },
    }
    const replaces = earlier !== undefined
    const added = Math.max(0, all.length - (earlier?.count ?? 0))
    const made = [
      { name: `${folder}/steps.jsonl`, content: lines, added },
      { name: `${folder}/metadata.json`, content: [`${JSON.stringify(metadata, null, 2)}\n`] },
    ]
    for (const file of made) yield { ...file, replaces, isUnchanged: replaces && isThere(job.folder, file) }
  },
}

/** Whether a folder has a file byte for byte. */
function isThere(folder: string | undefined, file: { readonly name: string; readonly content: readonly string[] }) {
  const bytes = folder === undefined ? undefined : readWhole(join(folder, file.name))
  return bytes?.equals(Buffer.from(file.content.join(''))) === true
}

/** Names that were given out: the same session of two roots gets two folders. */
const given = new WeakMap<ExportJob, Set<string>>()

function ownFolder(id: string, job: ExportJob): string {
  const taken = given.get(job) ?? new Set()
  given.set(job, taken)
  const name = safePath(id)
  let unique = name
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${name}-${number}`
  taken.add(unique.toLowerCase())
  return unique
}

function lineOf(step: Step): string {
  return `${jsonText(step)}\n`
}

function countTypes(all: readonly Step[]): Record<StepType, number> {
  const types = { user_message: 0, assistant_message: 0, tool_call: 0, tool_result: 0 }
  for (const { type } of all) types[type] += 1
  return types
}

/** How far an export came, and by what the log and the steps are known again. */
function settledMark(settled: Settled, lines: readonly string[], source: Source, log: SourceEntry) {
  const steps = lines.slice(0, settled.steps).join('')
  const stepsHash = createHash('sha256').update(steps).digest('hex')
  return {
    ...settled,
    logHash: prefixHash(source, log, settled.logBytes),
    stepsBytes: Buffer.byteLength(steps),
    stepsHash,
  }
}

/** How much of each end of a log is looked at to know it again. */
const END_BYTES = 4096

/** Names the start of a log by its length, its first and its last bytes: a log that was rewritten has another name. */
function prefixHash(source: Source, log: SourceEntry, length: number): string | null {
  const hash = createHash('sha256').update(`${length}\n`)
  for (const offset of [0, Math.max(0, length - END_BYTES)]) {
    const place = { file: log.path, line: 1, offset, length: Math.min(END_BYTES, length - offset) }
    const bytes = place.length === 0 ? new Uint8Array(0) : readBytesAt(source, log, place)
    if (!bytes) return null
    hash.update(bytes)
  }
  return hash.digest('hex')
}

/** The settled steps of an earlier export. */
interface Earlier {
  readonly steps: readonly Step[]
  readonly settled: Settled
  /** How many steps it had in all. */
  readonly count: number
}

/**
 * What an earlier export to the same folder left, if it can be gone on from. What is not of this session, or not an export of
 * steps, is left to stand in the way; what cannot be gone on from, because the log or the rules changed, is made anew.
 */
function readEarlier(
  folder: string,
  own: string,
  job: ExportJob,
  source: Source,
  log: SourceEntry,
): Earlier | undefined {
  const metadata = parseJson(readWhole(join(folder, own, 'metadata.json'))?.toString('utf8') ?? '')
  if (stringAt(metadata, 'schema') !== 'annals/steps/1') return undefined
  const had = numberAt(metadata, 'steps') ?? 0
  const anew: Earlier = { steps: [], settled: { steps: 0, logBytes: 0, logLines: 0 }, count: had }
  const mark = objectAt(objectAt(metadata, 'log'), 'settled')
  const [count, stepsBytes, logBytes, logLines] = ['steps', 'stepsBytes', 'logBytes', 'logLines'].map((key) => {
    return numberAt(mark, key) ?? -1
  }) as [number, number, number, number]
  const isSameRules = (stringAt(metadata, 'rules') ?? null) === (job.redactor?.version ?? null)
  const isSameLog =
    logBytes >= 0 && logBytes <= log.sizeBytes && stringAt(mark, 'logHash') === prefixHash(source, log, logBytes)
  const bytes = readWhole(join(folder, own, 'steps.jsonl'))?.subarray(0, Math.max(0, stepsBytes))
  if (!isSameRules || !isSameLog || !bytes || logLines < 0) return anew
  if (createHash('sha256').update(bytes).digest('hex') !== stringAt(mark, 'stepsHash')) return anew
  const steps = bytes.toString('utf8').split('\n').slice(0, -1).flatMap(toStep)
  return steps.length === count ? { steps, settled: { steps: count, logBytes, logLines }, count: had } : anew
}

const TYPES: ReadonlySet<string> = new Set<StepType>(['user_message', 'assistant_message', 'tool_call', 'tool_result'])

function toStep(line: string): readonly Step[] {
  const value = parseJson(line)
  const stepId = numberAt(value, 'stepId')
  const sessionId = stringAt(value, 'sessionId')
  const type = stringAt(value, 'type')
  const summary = stringAt(value, 'summary')
  if (stepId === undefined || sessionId === undefined || summary === undefined || !isStepType(type)) return []
  const textOrNull = (key: string) => textAt(value, key) ?? null
  return [
    {
      stepId,
      sessionId,
      rawUuid: textOrNull('rawUuid'),
      parentUuid: textOrNull('parentUuid'),
      type,
      timestamp: textOrNull('timestamp'),
      summary,
      toolCall: toCall(objectAt(value, 'toolCall')),
    },
  ]
}

function isStepType(type: string | undefined): type is StepType {
  return type !== undefined && TYPES.has(type)
}

function toCall(call: JsonValue | undefined): Step['toolCall'] {
  if (!isObject(call)) return null
  return {
    toolUseId: stringAt(call, 'toolUseId') ?? '',
    name: stringAt(call, 'name') ?? null,
    status: stringAt(call, 'status') ?? 'pending',
    durationMs: numberAt(call, 'durationMs') ?? null,
  }
}
