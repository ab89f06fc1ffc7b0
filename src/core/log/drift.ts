import { type JsonObject, type JsonValue, stringAt, textAt } from '../json.ts'
import { type Check, clip, compileCheck, type DriftKind } from '../records/check.ts'
import { documentSchemas, recordSchemas } from '../records/index.ts'
import type { Place } from './place.ts'

export type { DriftKind } from '../records/check.ts'

/** One way in which records differ from the format we know, and how often. */
export interface DriftItem {
  readonly kind: DriftKind
  /** The record's type, or the document's name. */
  readonly type: string
  /** Where in the record, for example `message.content[].tool_use(Bash).input.timeout`. */
  readonly path: string
  /** Of types that differ, which was expected and which was found. */
  readonly detail: string | null
  readonly count: number
  /** The client versions that wrote it, oldest first. */
  readonly versions: readonly string[]
  /** The first record that shows it, by file and offset. */
  readonly example: Place
}

/**
 * Collects how records differ from the format we know. The records of one file come in file order, because those that
 * name no version take the last one named before them; files may come in any order, and mixed.
 */
export class DriftFold {
  readonly #entries = new Map<string, Entry>()
  readonly #versions = new Map<string, string>()
  #now: Now = { type: '', version: UNKNOWN_VERSION, place: { file: '', line: 0, offset: 0, length: 0 } }

  /** Checks one record of a log. */
  add(raw: JsonObject, place: Place): void {
    const type = stringAt(raw, 'type') ?? ''
    const version = textAt(raw, 'version')
    if (version !== undefined) this.#versions.set(place.file, clip(version))
    this.#now = { type: clip(type), version: this.#versions.get(place.file) ?? UNKNOWN_VERSION, place }
    this.#run(recordChecks, recordSchemas, type, raw)
  }

  /** Checks a document that is no log, by its name in `documentSchemas`; a list is checked item by item. */
  addDocument(name: string, raw: JsonValue, place: Place): void {
    this.#now = { type: clip(name), version: clip(textAt(raw, 'version') ?? UNKNOWN_VERSION), place }
    const values = Array.isArray(raw) ? raw : [raw]
    for (const value of values) this.#run(documentChecks, documentSchemas, name, value)
  }

  /** What was found, most frequent first. */
  items(): DriftItem[] {
    return [...this.#entries.values()]
      .map((entry) => ({ ...entry, versions: [...entry.versions].sort(compareVersions) }))
      .sort(
        (a, b) =>
          b.count - a.count ||
          compare(a.path, b.path) ||
          compare(a.type, b.type) ||
          compare(a.kind, b.kind) ||
          compare(a.detail ?? '', b.detail ?? ''),
      )
  }

  /** Adds what another fold found in other files. */
  merge(other: readonly DriftItem[]): void {
    for (const item of other) this.#count(item)
  }

  #run(checks: Map<string, Check>, schemas: Schemas, name: string, value: JsonValue): void {
    let check = checks.get(name)
    if (!check) {
      const schema = schemas[name]
      if (!schema) {
        this.#report('UNKNOWN_TYPE', '')
        return
      }
      check = compileCheck(schema, name)
      checks.set(name, check)
    }
    check(value, this.#report)
  }

  readonly #report = (kind: DriftKind, path: string, detail: string | null = null): void => {
    const { type, version, place } = this.#now
    this.#count({ kind, type, path, detail, count: 1, versions: [version], example: place })
  }

  #count({ kind, type, path, detail, count, versions, example }: DriftItem): void {
    const key = JSON.stringify([kind, type, path, detail])
    const entry = this.#entries.get(key)
    if (!entry) {
      this.#entries.set(key, { kind, type, path, detail, count, versions: new Set(versions), example })
      return
    }
    entry.count += count
    for (const version of versions) entry.versions.add(version)
    if (isBefore(example, entry.example)) entry.example = example
  }
}

type Schemas = typeof recordSchemas

/** What is being checked right now. */
interface Now {
  readonly type: string
  readonly version: string
  readonly place: Place
}

interface Entry {
  readonly kind: DriftKind
  readonly type: string
  readonly path: string
  readonly detail: string | null
  readonly versions: Set<string>
  count: number
  example: Place
}

const UNKNOWN_VERSION = 'unknown'

// Made at first use and kept: making them costs more than checking a record.
const recordChecks = new Map<string, Check>()
const documentChecks = new Map<string, Check>()

function isBefore(a: Place, b: Place): boolean {
  return (compare(a.file, b.file) || a.offset - b.offset) < 0
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By numbers, part by part; what is not a version comes last. */
function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number)
  const right = b.split('.').map(Number)
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const x = left[i] ?? -1
    const y = right[i] ?? -1
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || compare(a, b)
    if (x !== y) return x - y
  }
  return compare(a, b)
}
