import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, numberAt, objectAt, parseJson, textAt } from '../../core/json.ts'
import { readWhole, writePrivateFile } from '../../state/private-file.ts'

/** How far a file of the team store was copied. */
export interface PulledFile {
  readonly path: string
  readonly generation: number
  /** The offset of its last row. */
  readonly last: number
  /** Its mark in the store when it was copied. */
  readonly reached: number
  readonly bytes: number
  /** Which sessions and projects of it could be seen; another set, and it is copied anew. */
  readonly parts: string
}

/** What was copied from a team store, by `machine file`. */
export interface PulledState {
  pulledAt: string | null
  readonly files: Map<string, PulledFile>
  /** Path and hash of the content. */
  readonly documents: Map<string, { readonly path: string; readonly hash: string }>
}

const NAME = 'state.json'
const VERSION = 1

/** What an earlier run kept; nothing where it cannot be read, so that all is copied anew. */
export function readPulled(folder: string): PulledState {
  const kept = parseJson(readWhole(join(folder, NAME))?.toString('utf8') ?? '')
  const state: PulledState = { pulledAt: null, files: new Map(), documents: new Map() }
  if (numberAt(kept, 'version') !== VERSION) return state
  state.pulledAt = textAt(kept, 'pulledAt') ?? null
  for (const [key, value] of Object.entries(objectAt(kept, 'files') ?? {})) {
    const number = (name: string) => numberAt(value, name) ?? -1
    const path = textAt(value, 'path')
    // Someone may have cleared the cache meanwhile.
    const size = path === undefined ? undefined : statSync(join(folder, path), { throwIfNoEntry: false })?.size
    if (!isObject(value) || path === undefined || size === undefined || size < number('bytes')) continue
    state.files.set(key, {
      path,
      generation: number('generation'),
      last: number('last'),
      reached: number('reached'),
      bytes: number('bytes'),
      parts: textAt(value, 'parts') ?? '',
    })
  }
  for (const [key, value] of Object.entries(objectAt(kept, 'documents') ?? {})) {
    const path = textAt(value, 'path')
    const hash = textAt(value, 'hash')
    if (path !== undefined && hash !== undefined && existsSync(join(folder, path)))
      state.documents.set(key, { path, hash })
  }
  return state
}

export function writePulled(folder: string, { pulledAt, files, documents }: PulledState): void {
  const kept = {
    version: VERSION,
    pulledAt,
    files: Object.fromEntries(files),
    documents: Object.fromEntries(documents),
  }
  writePrivateFile(join(folder, NAME), Buffer.from(JSON.stringify(kept)))
}
