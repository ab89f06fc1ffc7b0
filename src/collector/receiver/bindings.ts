import { isObject, objectAt, parseJson, stringAt } from '../../core/json.ts'
import { jsonText } from '../../core/json-text.ts'
import { readWhole, writePrivateFile } from '../../state/private-file.ts'
import type { KnownKeys } from './known-keys.ts'

/** For whom a token or key speaks, as far as that is settled. A person of null is one whose name does not leave. */
interface Bound {
  readonly machine?: string | undefined
  readonly person?: string | null | undefined
}

/**
 * Which machine and person each token or key speaks for: as the settings say, else the first that it names. Another machine,
 * another person, and one that is taken already are refused. With a file it is remembered over a restart.
 */
export class Bindings {
  #bound = new Map<string, Bound>()
  #keys: KnownKeys = new Map()
  readonly #path: string | undefined

  constructor(keys: KnownKeys, path: string | undefined) {
    this.#path = path
    const kept = objectAt(parseJson((path && readWhole(path)?.toString('utf8')) || ''), 'keys') ?? {}
    for (const [key, known] of Object.entries(kept)) {
      const person = isObject(known) && known.person === null ? null : stringAt(known, 'person')
      this.#bound.set(key, { machine: stringAt(known, 'machine'), person })
    }
    this.renew(keys)
  }

  /** Takes other keys. What was settled for one holds for those that stand beside it, so that they can take its place. */
  renew(keys: KnownKeys): void {
    const before = this.#bound
    this.#keys = keys
    this.#bound = new Map(
      Array.from(keys, ([key, { machine, person, together }]) => {
        const known = [key, ...together].map((one) => before.get(one)).find((one) => one?.machine !== undefined)
        return [key, { machine: machine ?? known?.machine, person: person ?? known?.person }]
      }),
    )
  }

  /** Settles that a key speaks for a machine and, where one is given, for a person; a sentence where it does not. */
  claim(key: string, machine: string, person?: string | null): string | undefined {
    const bound = this.#bound.get(key) ?? {}
    if (bound.machine !== undefined && bound.machine !== machine) {
      return `This token or key is not for machine ${machine}.`
    }
    if (bound.machine === undefined && this.#isTaken(key, (other) => other.machine === machine)) {
      return `Machine ${machine} has another token or key.`
    }
    if (person !== undefined && bound.person !== undefined && bound.person !== person) {
      return `This token or key speaks for ${shown(bound.person)}, not for ${shown(person)}.`
    }
    if (person && bound.person === undefined && this.#isTaken(key, (other) => other.person === person)) {
      return `Another token or key speaks for ${shown(person)}. If this one does too, its line in "tokens" has to say "person": ${shown(person)}.`
    }
    const settled = { machine, person: bound.person === undefined ? person : bound.person }
    if (settled.machine === bound.machine && settled.person === bound.person) return undefined
    for (const one of this.#togetherWith(key)) this.#bound.set(one, settled)
    this.#save()
    return undefined
  }

  #isTaken(key: string, isIt: (bound: Bound) => boolean): boolean {
    const own = this.#togetherWith(key)
    return [...this.#bound].some(([other, bound]) => !own.includes(other) && isIt(bound))
  }

  #togetherWith(key: string): readonly string[] {
    return this.#keys.get(key)?.together ?? [key]
  }

  #save(): void {
    if (this.#path === undefined) return
    const keys = Object.fromEntries([...this.#bound].map(([key, { machine, person }]) => [key, { machine, person }]))
    writePrivateFile(this.#path, Buffer.from(`${jsonText({ version: 1, keys })}\n`))
  }
}

function shown(person: string | null): string {
  return person === null ? 'somebody without a name' : `"${person}"`
}
