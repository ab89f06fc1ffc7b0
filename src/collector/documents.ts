import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { startOf } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { CollectedFile } from './collected-files.ts'
import type { RowMaker } from './record-row.ts'
import type { TeamDocument } from './row.ts'
import { metaSkeleton } from './skeleton.ts'

/** A document larger than this is no small one; it stays here. */
const MOST_BYTES = 16 * 1024 * 1024

/** A document as it leaves; `undefined` where it vanished, or is too large. */
export function documentOf(
  maker: RowMaker,
  source: Source,
  { entry, kind, session }: CollectedFile,
  project: string | null,
): TeamDocument | undefined {
  const bytes = readAll(source, entry)
  if (!bytes) return undefined
  const content = Buffer.from(shown(maker, kind, new TextDecoder().decode(bytes)))
  return {
    machine: maker.machine,
    user: maker.user,
    project,
    session,
    file: maker.names.file(entry),
    kind,
    modifiedAt: new Date(entry.modifiedAt).toISOString(),
    content,
    contentHash: createHash('sha256').update(content).digest('hex'),
  }
}

/** What a file looks like from outside: as long as it is the same, the file is not read again. */
export function signOf({ sizeBytes, modifiedAt, inode }: SourceEntry): string {
  return `${sizeBytes} ${modifiedAt} ${inode ?? ''}`
}

function shown({ content, redactor, names, clientNames }: RowMaker, kind: string, text: string): string {
  const value = parseJson(text)
  if (!isObject(value) && !Array.isArray(value)) return content === 'all' ? redactor.text(text).text : ''
  const chosen =
    content === 'all'
      ? value
      : kind === 'meta' && isObject(value)
        ? metaSkeleton(value, { path: names.path, names: clientNames })
        : {}
  return jsonText(redactor.value(chosen).value as object)
}

function readAll(source: Source, entry: SourceEntry): Uint8Array | undefined {
  const bytes = startOf(source, entry, MOST_BYTES + 1)
  return bytes && bytes.length <= MOST_BYTES ? bytes : undefined
}
