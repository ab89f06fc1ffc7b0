import { allRules, createRedactor } from '../src/redact/redactor.ts'
import type { Sample } from './secrets/kind.ts'
import { KINDS } from './secrets/kinds.ts'
import { randomFrom } from './secrets/random.ts'

const guesses = new Set(allRules.filter(({ isGuess }) => isGuess).map(({ kind }) => kind))
const redactor = createRedactor({ key: new Uint8Array(32) })

/**
 * A sample of every kind that is known by its own shape: such a secret is hidden wherever it stands. How many of all kinds are
 * found is measured elsewhere; these are for what has to hold of any that is.
 */
export function certainSecrets(seed: number): readonly Sample[] {
  return KINDS.map(({ name, make }) => make(randomFrom(`${seed}/${name}`))).filter(({ text, secret, start }) =>
    redactor
      .scan(text)
      .some(({ kind, from, to }) => !guesses.has(kind) && from <= start && to >= start + secret.length),
  )
}
