import { Ansis } from 'ansis'

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
  const ansi = new Ansis(colour ? 1 : 0)
  return {
    colour,
    title: ansi.bold,
    strong: ansi.bold,
    emphasis: ansi.italic,
    struck: ansi.strikethrough,
    dim: ansi.dim,
    prompt: ansi.bold.cyan,
    accent: ansi.cyan,
    match: ansi.bold.yellow,
    good: ansi.green,
    bad: ansi.red,
    warn: ansi.yellow,
    added: ansi.green,
    removed: ansi.red,
    code: ansi.cyan,
    link: ansi.underline,
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
