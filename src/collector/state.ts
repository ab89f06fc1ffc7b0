import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isObject, numberAt, objectAt, objectsAt, parseJson, stringAt, stringsAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { type Cursor, readCursor } from '../disk/cursor.ts'
import { asFailure, makePrivateFolder, readWhole, syncFolder, writePrivateFile } from '../state/private-file.ts'
import { DEAD } from './dead-letters.ts'
import type { DeadLetter } from './sink.ts'

/** A log that is being collected: the key of its rows, and how far it was delivered. */
export interface Tracked {
  readonly file: string
  readonly generation: number
  /** Its path is the real one, on this machine. */
  readonly cursor: Cursor
}

/** A document as it was delivered: what the file looked like, and what left of it. */
export interface SentDocument {
  readonly sign: string
  readonly hash: string
}

/** What is remembered of a destination between runs. A hint: the marks of the sink are the truth. */
export interface CollectState {
  readonly destination: string
  readonly tracked: readonly Tracked[]
  /** Logs that a run was about to begin: what it delivered before it was killed is found by their paths. */
  readonly begun: readonly Tracked[]
  /** How many marks were made for it. */
  readonly order: number
  /** The id under which was delivered. */
  readonly machine: string
  /** What our last run may have left there, by which the next one knows that nobody else came. */
  readonly visits: readonly string[]
  readonly documents: ReadonlyMap<string, SentDocument>
  readonly tombstones: readonly string[]
  readonly savedAt: string | null
  /** What left, when it last did, as the person chose. */
  readonly choices: Readonly<Record<string, string>>
}

const VERSION = 1

/** The memories of all destinations that this machine has collected to. What cannot be read is passed over. */
export function rememberedStates(folder: string): readonly CollectState[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => STATE_NAME.test(name)) : []
  return names.sort().flatMap((name) => {
    const destination = stringAt(parseJson(readWhole(join(folder, name))?.toString('utf8') ?? ''), 'destination')
    if (destination === undefined) return []
    try {
      return [new StateFile(folder, destination).read(destination)]
    } catch (error) {
      if (error instanceof Failure) return []
      throw error
    }
  })
}

const STATE_NAME = /^[0-9a-f]{16}\.json$/

/** A record that a sink would not take, as it is kept. */
export interface Buried extends DeadLetter {
  /** Whose it was, so that a purge finds it. */
  readonly session: string | null
  readonly content: string
}

/** Where it is kept. */
export interface StateStore {
  read(destination: string): CollectState
  write(state: CollectState): void
  /** Keeps what a sink would not take, with the reason. */
  bury(letters: readonly Buried[]): void
}

/** The memory of one destination. */
export class StateFile implements StateStore {
  readonly path: string
  readonly deadLetters: string
  readonly #folder: string

  constructor(folder: string, destination: string) {
    const name = createHash('sha256').update(destination).digest('hex').slice(0, 16)
    this.#folder = folder
    this.path = join(folder, `${name}.json`)
    this.deadLetters = join(folder, `${name}${DEAD}`)
  }

  /** What was remembered; nothing where the file is missing, empty or damaged. One that a newer annals wrote is refused. */
  read(destination: string): CollectState {
    const value = parseJson(readWhole(this.path)?.toString('utf8') ?? '')
    const version = numberAt(value, 'version')
    if (version !== undefined && version > VERSION) {
      const message = `${this.path} was written by a newer annals; it is left as it is, and nothing is sent.`
      throw new Failure('CANNOT_RUN', message, {
        hint: 'Use the newer annals, or move the file away: nothing is sent twice.',
      })
    }
    const documents = Object.entries(objectAt(value, 'documents') ?? {}).flatMap(([file, one]) => {
      const sign = stringAt(one, 'sign')
      const hash = stringAt(one, 'hash')
      return sign === undefined || hash === undefined ? [] : [[file, { sign, hash }] as const]
    })
    const choices = Object.entries(objectAt(value, 'choices') ?? {}).flatMap(([name, one]) =>
      typeof one === 'string' ? [[name, one] as const] : [],
    )
    return {
      destination,
      tracked: objectsAt(value, 'tracked').flatMap(trackedFrom),
      begun: objectsAt(value, 'begun').flatMap(trackedFrom),
      order: numberAt(value, 'order') ?? 0,
      machine: stringAt(value, 'machine') ?? '',
      visits: stringsAt(value, 'visits'),
      documents: new Map(documents),
      tombstones: stringsAt(value, 'tombstones'),
      savedAt: stringAt(value, 'savedAt') ?? null,
      choices: Object.fromEntries(choices),
    }
  }

  write(state: CollectState): void {
    const { documents, ...rest } = state
    const text = jsonText({ version: VERSION, ...rest, documents: Object.fromEntries(documents) })
    try {
      makePrivateFolder(this.#folder)
      writePrivateFile(this.path, Buffer.from(`${text}\n`))
      syncFolder(this.#folder)
    } catch (error) {
      throw asFailure(error, this.path, 'What was collected')
    }
  }

  bury(letters: readonly Buried[]): void {
    if (letters.length === 0) return
    makePrivateFolder(this.#folder)
    appendFileSync(this.deadLetters, letters.map((letter) => `${jsonText(letter)}\n`).join(''), { mode: 0o600 })
    chmodSync(this.deadLetters, 0o600)
  }

  /** How many records were never taken. */
  buried(): number {
    const keys = (readWhole(this.deadLetters)?.toString('utf8') ?? '').split('\n').flatMap((line) => {
      const one = parseJson(line)
      return isObject(one) ? [`${one.file} ${one.generation} ${one.offset}`] : []
    })
    return new Set(keys).size
  }
}

function trackedFrom(value: unknown): Tracked[] {
  const file = stringAt(value, 'file')
  const generation = numberAt(value, 'generation')
  const cursor = readCursor(objectAt(value, 'cursor'))
  return file === undefined || generation === undefined || !cursor ? [] : [{ file, generation, cursor }]
}
