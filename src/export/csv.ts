import type { Library } from '../disk/library.ts'
import type { FoundSession } from '../history/find.ts'
import { listSessions } from '../history/list.ts'
import { type Cell, csvLine } from './csv-cell.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { masked } from './masked.ts'
import { RESPONSES, type ResponseRow, responseRows } from './responses.ts'

/** Two tables for spreadsheets: what each response used and cost, and the sessions. */
export const csv: Exporter = {
  extension: 'csv',
  *table(sessions, job) {
    yield { name: 'usage.csv', content: usageTable(sessions, job) }
    yield { name: 'sessions.csv', content: sessionTable(sessions, job) }
  },
}

const USAGE_COLUMNS = Object.keys(RESPONSES) as readonly (keyof ResponseRow)[]

async function* usageTable(sessions: Iterable<FoundSession>, job: ExportJob): AsyncGenerator<string> {
  yield csvLine(USAGE_COLUMNS, job.options)
  for await (const row of responseRows(sessions, job)) {
    yield csvLine(
      USAGE_COLUMNS.map((column) => row[column]),
      job.options,
    )
  }
}

const SESSION_COLUMNS = [
  'id',
  'title',
  'project',
  'gitBranch',
  'createdAt',
  'updatedAt',
  'prompts',
  'messages',
  'turns',
  'toolCalls',
  'agents',
  'compactions',
  'models',
  'version',
  'sizeBytes',
  'costUsd',
  'ownCostUsd',
  'file',
] as const

async function* sessionTable(sessions: Iterable<FoundSession>, job: ExportJob): AsyncGenerator<string> {
  yield csvLine(SESSION_COLUMNS, job.options)
  const lists = new Map<Library, Awaited<ReturnType<typeof itemsOf>>>()
  for (const { library, files } of sessions) {
    const items = lists.get(library) ?? (await itemsOf(library, job))
    lists.set(library, items)
    const item = files.log && items.get(files.log.path)
    if (!item) continue
    const { counts, project, agents, models, ...rest } = masked(job, item)
    const row: Readonly<Record<(typeof SESSION_COLUMNS)[number], Cell>> = {
      ...rest,
      project: project.path ?? project.key,
      prompts: counts?.prompts ?? null,
      messages: counts?.messages ?? null,
      turns: counts?.turns ?? null,
      toolCalls: counts?.toolCalls ?? null,
      agents: agents?.length ?? null,
      models: models?.join(' ') ?? null,
    }
    yield csvLine(
      SESSION_COLUMNS.map((column) => row[column]),
      job.options,
    )
  }
}

/** All sessions of a library as a list tells them: what one cost depends on the others. */
async function itemsOf(library: Library, job: ExportJob) {
  const context = { ...job.context, library, progress: () => {} }
  return new Map((await listSessions(context)).map((item) => [item.file, item]))
}
