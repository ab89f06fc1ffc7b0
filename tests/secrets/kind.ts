import type { Random } from './random.ts'

/** A secret as it is written somewhere. Where a public prefix opens it (`sk_live_`), the secret begins after the prefix. */
export interface Sample {
  readonly text: string
  /** The part that must not be readable; a key block has several lines. */
  readonly secret: string
  /** Where in `text` the secret begins. */
  readonly start: number
}

/** A kind of secret. With context `line` its text stands on lines of its own and nothing is written before it. */
export interface Kind {
  readonly name: string
  readonly make: (random: Random) => Sample
  readonly context?: 'line'
}

/** Draws a secret, or the part of a token that follows its prefix. */
export type Draw = (random: Random) => string

/** A sample from what stands before the secret, the secret, and what stands after it. */
export function written(before: string, secret: string, after = ''): Sample {
  return { text: before + secret + after, secret, start: before.length }
}

/** A token that its own prefix gives away, so that it may also stand alone, in a header or in prose. */
export function marked(name: string, variable: string, prefix: string, draw: Draw): Kind {
  const make = (random: Random): Sample => {
    const [before, after] = random.pick<readonly [string, string]>([
      [`${variable}=`, ''],
      ['', ''],
      ['Authorization: Bearer ', ''],
      [`"${camel(variable)}": "`, '"'],
      [`${variable.toLowerCase()}: `, ''],
      ['I made a new one, it is ', ' and works for a month.'],
    ])
    return written(before + prefix, draw(random), after)
  }
  return { name, make }
}

/** A token without a mark of its own: only the name it is written under gives it away. */
export function named(name: string, variable: string, draw: Draw, extra: readonly string[] = []): Kind {
  const make = (random: Random): Sample => {
    const [before, after] = random.pick<readonly [string, string]>([
      [`${variable}=`, ''],
      [`${variable}: `, ''],
      [`"${variable.toLowerCase()}": "`, '"'],
      [`const ${camel(variable)} = '`, "'"],
      ...extra.map((start): [string, string] => [start, '']),
    ])
    return written(before, draw(random), after)
  }
  return { name, make }
}

/** A secret in one fixed place: `before` and `after` are written around it. */
export function placed(name: string, before: string, draw: Draw, after = ''): Kind {
  return { name, make: (random) => written(before, draw(random), after) }
}

/** Like `placed`, on lines of its own. */
export function lined(name: string, before: string, draw: Draw, after = ''): Kind {
  return { name, make: (random) => written(before, draw(random), after), context: 'line' }
}

function camel(variable: string): string {
  return variable.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
