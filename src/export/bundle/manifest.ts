import { Failure } from '../../core/failure.ts'
import {
  arrayAt,
  booleanAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  parseJson,
  stringAt,
  textAt,
} from '../../core/json.ts'
import { placeOf } from '../../disk/layout.ts'
import { MOST_NOTE, toMark } from '../../state/marks.ts'
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundledFile,
  type BundleLimits,
  folded,
  type Manifest,
  pathTrouble,
} from './format.ts'

/** A bundle that is refused, with the reason. Nothing of it was written. */
export function refused(why: string, hint = 'Nothing was imported. Ask for the bundle again.'): Failure {
  return new Failure('BAD_INPUT', `This bundle cannot be imported: ${why}.`, { hint })
}

/** Reads the first line of a bundle and looks at all that it promises. Fails where any of it is not what we would write. */
export function readManifest(line: string, packedBytes: number, limits: BundleLimits): Manifest {
  const value = parseJson(line)
  if (!isObject(value) || stringAt(value, 'format') !== BUNDLE_FORMAT) throw refused('it is not an annals bundle')
  const version = numberAt(value, 'version')
  if (version !== BUNDLE_VERSION) {
    const hint = `This annals reads version ${BUNDLE_VERSION}. Update annals, or ask for a bundle of that version.`
    throw refused(`it has version ${version ?? 'none'} of the format`, hint)
  }
  const session = textAt(value, 'session') ?? ''
  const files = arrayAt(value, 'files').map((file) => readFile(file, session))
  mustBeBearable(files, packedBytes, limits)
  mustBeApart(files)
  mustBeOneFamily(files, session)
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    annals: textAt(value, 'annals') ?? null,
    session,
    title: textAt(value, 'title') ?? null,
    exportedAt: textAt(value, 'exportedAt') ?? null,
    redacted: booleanAt(value, 'redacted') ?? false,
    mark: readMark(objectAt(value, 'mark')),
    files,
  }
}

/** A note is a person's words: no longer than a person would write, and shown like any other text of a log. */
function readMark(value: JsonObject | undefined): Manifest['mark'] {
  const { starred, note } = toMark(value)
  return value ? { starred, note: note?.slice(0, MOST_NOTE) ?? null } : null
}

const FIELDS = new Set(['path', 'bytes', 'sha256', 'modifiedAt'])

function readFile(value: JsonValue, session: string): BundledFile {
  const path = stringAt(value, 'path')
  const bytes = numberAt(value, 'bytes') ?? -1
  const sha256 = stringAt(value, 'sha256') ?? ''
  if (path === undefined || !Number.isSafeInteger(bytes) || bytes < 0 || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw refused('its list of files is damaged')
  }
  const other = isObject(value) && Object.keys(value).find((name) => !FIELDS.has(name))
  // A link, an owner, a mode: nothing that a plain file has no need of is taken.
  if (other) throw refused(`its file "${short(path)}" is more than a file: it has "${short(other)}"`)
  const trouble = pathTrouble(path, session)
  if (trouble !== undefined) throw refused(`its file "${short(path)}" ${trouble}`)
  return { path, bytes, sha256, modifiedAt: textAt(value, 'modifiedAt') ?? null }
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function mustBeBearable(files: readonly BundledFile[], packedBytes: number, limits: BundleLimits): void {
  if (files.length > limits.files) throw refused(`it has ${files.length} files, more than ${limits.files}`)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > limits.bytes) throw refused(`it would unpack to ${total} bytes, more than ${limits.bytes}`)
  if (total > limits.harmlessBytes && total > packedBytes * limits.ratio) {
    throw refused(`it would unpack to ${Math.round(total / packedBytes)} times its size`)
  }
}

/** No two names may be one file on any system, and none both a file and a folder. */
function mustBeApart(files: readonly BundledFile[]): void {
  const names = new Set<string>()
  const folders = new Set<string>()
  for (const { path } of files) {
    const name = folded(path)
    if (names.has(name)) throw refused(`it has two files called "${short(path)}", or names that differ only in case`)
    names.add(name)
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) folders.add(name.slice(0, at))
  }
  for (const { path } of files) {
    if (folders.has(folded(path))) throw refused(`"${short(path)}" is both a file and a folder in it`)
  }
}

function mustBeOneFamily(files: readonly BundledFile[], session: string): void {
  const logs = files.filter(({ path }) => placeOf(path).kind === 'session')
  if (logs.length !== 1)
    throw refused(`it has ${logs.length} logs where there should be the one of session ${short(session)}`)
  const keys = new Set(files.flatMap(({ path }) => (path.startsWith('projects/') ? [path.split('/')[1]] : [])))
  if (keys.size > 1) throw refused('its files are of several projects')
}
