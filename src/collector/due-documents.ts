import type { Source, SourceEntry } from '../disk/source.ts'
import type { CollectedFile } from './collected-files.ts'
import { documentOf, signOf } from './documents.ts'
import type { IgnoreTest } from './ignore.ts'
import type { Listing } from './listing.ts'
import type { ProjectFolders } from './project-folders.ts'
import type { Quarantine } from './quarantine.ts'
import type { RowMaker } from './record-row.ts'
import type { TeamDocument } from './row.ts'
import type { SentDocuments } from './sent-documents.ts'

/** What is needed to tell which documents have to leave. */
export interface DueOptions {
  readonly source: Source
  readonly listing: Listing
  readonly folders: ProjectFolders
  readonly sent: SentDocuments
  readonly quarantine: Quarantine
  readonly maker: RowMaker
  readonly isIgnored?: IgnoreTest | undefined
}

/** By what a document is known to have been sent as it is, with as much of it as was chosen. */
export function documentSign({ content }: Pick<RowMaker, 'content'>, entry: SourceEntry): string {
  return `${content} ${signOf(entry)}`
}

/** The documents whose content has changed since they were delivered, as they leave. */
export function* dueDocuments(files: readonly CollectedFile[], options: DueOptions): Generator<TeamDocument> {
  const { source, listing, folders, sent, quarantine, maker, isIgnored } = options
  const signed = files.map((file) => ({ file, sign: documentSign(maker, file.entry) }))
  const due = signed.filter(
    ({ file, sign }) =>
      file.role === 'document' &&
      !sent.hasSign(maker.names.file(file.entry), sign) &&
      !quarantine.isResting(file.entry),
  )
  // Documents do not say whose they are: the logs beside them do.
  if (due.length > 0) for (const file of listing.logs()) folders.headOf(file)
  for (const { file, sign } of due) {
    const folder = folders.folderOf(file)
    if (folder === undefined || isIgnored?.(folder)) continue
    const document = documentOf(maker, source, file, folder === null ? null : (maker.names.path(folder) ?? null))
    quarantine.note(file.entry, document !== undefined)
    if (document && sent.isDue(document.file, { sign, hash: document.contentHash })) yield document
  }
}
