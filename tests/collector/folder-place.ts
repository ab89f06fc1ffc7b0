import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TeamDocument, TeamRow } from '../../src/collector/row.ts'
import { type FolderOptions, folderSink } from '../../src/collector/sinks/folder.ts'
import { readPart, unpackLines } from '../../src/collector/sinks/folder-parts.ts'
import { partsIn } from '../../src/collector/sinks/folder-purge.ts'
import { documentFromJson } from '../../src/collector/wire.ts'
import type { SinkUnderTest } from './sink-contract.ts'

/** All rows that a reader of a folder finds. */
export async function rowsIn(folder: string): Promise<readonly TeamRow[]> {
  const rows: TeamRow[] = []
  for (const path of partsIn(join(folder, 'records'))) for await (const some of readPart(path)) rows.push(...some)
  return rows
}

/** The newest content of every document in a folder. */
export function documentsIn(folder: string): readonly TeamDocument[] {
  return partsIn(join(folder, 'documents'))
    .flatMap((path) => unpackLines(readFileSync(path)))
    .map((one) => documentFromJson(one) as TeamDocument)
}

/** A folder for the time of a test. */
export async function folderPlace(options: FolderOptions = {}): Promise<SinkUnderTest & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-folder-'))
  return {
    folder,
    open: () => folderSink(folder, options),
    rows: () => rowsIn(folder),
    documents: async () => documentsIn(folder),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}
