import type { Static } from '../../../core/schema.ts'
import type { TurnShape } from '../../../history/view/turn-shape.ts'
import { foldLines } from '../../terminal/fold.ts'
import { plural } from '../../terminal/human.ts'
import { padEnd, width as widthOf, wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted, indent } from './lines.ts'
import { cost } from './names.ts'
import { outputLines } from './turn-item.ts'

type Turn = Static<typeof TurnShape>

/** How wide a prompt may be, and how many digits the numbers of its neighbours have. */
interface PromptRoom {
  readonly digits: number
  readonly width: number
  readonly view: View
}

/** What a turn began with, numbered: `1 › why?`, with the price of the turn at the end of the line. */
export function promptLines({ number, prompt, costUsd }: Turn, { digits, width, view }: PromptRoom): string[] {
  if (!prompt) return []
  const { style } = view
  const lead = digits + 3
  const price = cost(costUsd)
  const room = width - lead - (price === '' ? 0 : widthOf(price) + 2)
  const head = view.tools === 'full' ? Number.POSITIVE_INFINITY : LINES
  const folded = foldLines(prompt.text.trim(), { head, columns: Number.POSITIVE_INFINITY })
  const words = folded.flatMap((line) => wrap(line, room)).map((line) => (line === '' ? '' : style.strong(line)))
  const [first = '', ...rest] = noted(words, noteOf(prompt, view), room)
  const mark = style.prompt(`${String(number).padStart(digits)} ${prompt.kind === 'bash' ? '!' : '›'}`)
  const output = outputLines(prompt, view, width - lead)
  return [`${mark} ${priced(first, price, room)}`.trimEnd(), ...indent([...rest, ...output], lead)]
}

const LINES = 14

/** What the words of a prompt do not say of it. */
function noteOf(prompt: NonNullable<Turn['prompt']>, view: View): string {
  const images = prompt.images > 0 ? plural(prompt.images, 'image') : ''
  const note = dotted([prompt.kind === 'queued' ? 'queued' : '', images])
  return note === '' ? '' : view.style.dim(`(${note})`)
}

/** The note behind the last word, or below it where there is no room. */
function noted(words: readonly string[], note: string, room: number): readonly string[] {
  if (note === '') return words
  const last = words.at(-1) ?? ''
  if (widthOf(last) + widthOf(note) + 2 > room) return [...words, note]
  return [...words.slice(0, -1), `${last}  ${note}`.trim()]
}

function priced(line: string, price: string, room: number): string {
  if (price === '') return line
  return room === Number.POSITIVE_INFINITY ? `${line}  ${price}` : `${padEnd(line, room)}  ${price}`
}
