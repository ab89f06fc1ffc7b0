import type { Static } from '../../../core/schema.ts'
import type { TurnShape } from '../../../history/view/turn-shape.ts'
import { clockTime } from '../../terminal/day.ts'
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
  /** The model that answers from here on, where that is another one than before. */
  readonly model: string
}

/** What a turn began with, numbered: `1 › why?`, with its time, a new model and its price at the end of the line. */
export function promptLines(turn: Turn, { digits, width, view, model }: PromptRoom): string[] {
  const { number, prompt, costUsd } = turn
  if (!prompt) return []
  const { style } = view
  const lead = digits + 3
  const aside = [clockTime(turn.startedAt, view.timeZone), model].filter((part) => part !== '').join(' ')
  const price = [style.dim(aside), cost(costUsd)].filter((part) => part !== '').join('  ')
  const room = width - lead - (price === '' ? 0 : widthOf(price) + 2)
  const head = view.tools === 'full' ? Number.POSITIVE_INFINITY : LINES
  const folded = foldLines(prompt.text.trim(), { head, columns: Number.POSITIVE_INFINITY, unfold: view.unfold })
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
