/** Gives a text its look. Expects text that is already plain. */
export type Paint = (text: string) => string

/** What a piece of text means, not which colour it has. */
export interface Style {
  /** Whether the paints do anything; where they do not, a mark can take their place. */
  readonly colour: boolean
  readonly title: Paint
  readonly strong: Paint
  readonly emphasis: Paint
  readonly struck: Paint
  readonly dim: Paint
  readonly prompt: Paint
  readonly accent: Paint
  readonly match: Paint
  readonly good: Paint
  readonly bad: Paint
  readonly warn: Paint
  readonly added: Paint
  readonly removed: Paint
  readonly code: Paint
  readonly link: Paint
}

/** The looks of everything. Without colour each one is the identity. Only the sixteen colours, which every theme sets. */
export function createStyle({ colour }: { readonly colour: boolean }): Style {
  const look = (...names: readonly (keyof typeof CODES)[]): Paint => (colour ? painter(names) : (text) => text)
  return {
    colour,
    title: look('bold'),
    strong: look('bold'),
    emphasis: look('italic'),
    struck: look('struck'),
    dim: look('dim'),
    prompt: look('bold', 'cyan'),
    accent: look('cyan'),
    match: look('bold', 'yellow'),
    good: look('green'),
    bad: look('red'),
    warn: look('yellow'),
    added: look('green'),
    removed: look('red'),
    code: look('cyan'),
    link: look('underlined'),
  }
}

/** What turns a look on, and what turns it off. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underlined: [4, 24],
  struck: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** Paints line by line, so that a line can stand alone; where a piece inside ends its own look, this one goes on. */
function painter(names: readonly (keyof typeof CODES)[]): Paint {
  const looks = names.map((name) => ({ on: `\x1b[${CODES[name][0]}m`, off: `\x1b[${CODES[name][1]}m` }))
  const on = looks.map((look) => look.on).join('')
  const off = looks
    .map((look) => look.off)
    .reverse()
    .join('')
  return (text) => {
    if (text === '') return ''
    const within = text.includes('\x1b')
      ? looks.reduce((painted, look) => painted.replaceAll(look.off, look.on), text)
      : text
    return `${on}${within.replace(/\r?\n/g, `${off}$&${on}`)}${off}`
  }
}

/** The variables that decide about colour. */
export interface ColourEnv {
  readonly NO_COLOR?: string | undefined
  readonly FORCE_COLOR?: string | undefined
  readonly TERM?: string | undefined
}

/** Whether to colour: the flag decides, then `FORCE_COLOR`, then `NO_COLOR`, then whether a capable terminal looks on. */
export function shouldColour(env: ColourEnv, isTty: boolean, flag?: boolean): boolean {
  if (flag !== undefined) return flag
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR) return false
  return isTty && env.TERM !== 'dumb'
}
