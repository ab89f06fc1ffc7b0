import type { Context } from '../history/context.ts'
import type { FoundSession } from '../history/find.ts'
import { sessionItem } from '../history/list.ts'
import type { Redactor } from '../redact/redactor.ts'
import { countedRedactor } from './counted.ts'
import type { Exporter, ExportJob, ExportOptions } from './exporter.ts'
import { withFolderSecrets } from './folder-secrets.ts'
import { folderOf, targetOf } from './target.ts'
import { type Written, writeSessions } from './write.ts'

/** The ways to write a session down. */
export const EXPORT_FORMATS = ['md', 'html', 'json', 'jsonl', 'csv', 'parquet', 'xml', 'steps', 'bundle'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The writers. Each is loaded when it is asked for: a start needs none of them. */
const WRITERS: Readonly<Record<ExportFormat, () => Promise<Exporter>>> = {
  md: async () => (await import('./markdown.ts')).markdown,
  html: async () => (await import('./html.ts')).html,
  json: async () => (await import('./json.ts')).json,
  jsonl: async () => (await import('./jsonl.ts')).jsonl,
  csv: async () => (await import('./csv.ts')).csv,
  parquet: async () => (await import('./parquet.ts')).parquet,
  xml: async () => (await import('./xml/xml.ts')).xml,
  steps: async () => (await import('./steps.ts')).steps,
  bundle: async () => (await import('./bundle/bundle.ts')).bundle,
}

/** What an export shall be like: without wishes readable, with agents where they were called, and without secrets. */
export interface ExportWishes extends Partial<ExportOptions> {
  /** Leave secrets in. */
  readonly secrets?: boolean
  /** Replace what is there. */
  readonly force?: boolean
}

/** What was exported, and how often each kind of secret was masked. */
export interface Exported extends Written {
  readonly redactions: Record<string, number>
}

/** Masks secrets of texts, and of the names of the sessions' folders. */
async function openedRedactor(context: Context, sessions: readonly FoundSession[]): Promise<Redactor> {
  const redactor = (await import('../redact/open.ts')).openRedactor(context)
  const folders = new Map(sessions.map((found) => [found.files.project.key, found]))
  const items = [...folders.values()].map(({ library, files }) => sessionItem({ ...context, library }, files))
  return withFolderSecrets(
    redactor,
    (await Promise.all(items)).map(({ project }) => project),
  )
}

/** Writes sessions in a format: all of them whole, or nothing. */
export async function exportSessions(
  context: Context,
  sessions: readonly FoundSession[],
  wishes: ExportWishes & { readonly to: ExportFormat; readonly out?: string | undefined },
): Promise<Exported> {
  const { to, out, secrets = false, force = false, agents = 'inline', thinking = false, budget } = wishes
  const writer = await WRITERS[to]()
  const target = targetOf(context, { to, out, agents }, writer, sessions.length)
  const redactor = secrets ? undefined : countedRedactor(await openedRedactor(context, sessions))
  const options = { agents, thinking, budget, escape: wishes.escape ?? true }
  const job: ExportJob = { context, redactor, options, names: new Set(), folder: folderOf(target) }
  const made = await writeSessions(writer, sessions, job, target, { force, dataDir: context.dataDir })
  return { ...made, redactions: redactor?.counts() ?? {} }
}
