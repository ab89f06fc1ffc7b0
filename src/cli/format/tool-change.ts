import { type JsonObject, objectAt, objectsAt, stringAt } from '../../core/json.ts'
import { hunksAt } from '../../core/tool-call.ts'
import { renderEdit } from '../terminal/diff.ts'
import { count } from '../terminal/human.ts'
import { createStyle, type Style } from '../terminal/style.ts'

/** How many lines a call put into a file and took out of it. */
interface Change {
  readonly added: number
  readonly removed: number
}

/** What a call changed in a file, where that can be told. */
export function changeOf(item: unknown): Change | undefined {
  const hunks = hunksAt(item, 'patch')
  if (hunks) {
    const lines = hunks.flatMap((hunk) => hunk.lines)
    const startingWith = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
    return { added: startingWith('+'), removed: startingWith('-') }
  }
  const edits = editsOf(stringAt(item, 'name') ?? '', objectAt(item, 'input') ?? {})
  if (edits.length === 0) return undefined
  const rendered = edits.map(([before, after]) => renderEdit(before, after, UNSEEN))
  return {
    added: rendered.reduce((sum, { added }) => sum + added, 0),
    removed: rendered.reduce((sum, { removed }) => sum + removed, 0),
  }
}

/** The texts that a call took out of a file and put in their places. */
export function editsOf(name: string, input: JsonObject): readonly (readonly [string, string])[] {
  if (name === 'Write') return [['', stringAt(input, 'content') ?? '']]
  const pieces = name === 'Edit' ? [input] : name === 'MultiEdit' ? objectsAt(input, 'edits') : []
  return pieces.map((piece) => [stringAt(piece, 'old_string') ?? '', stringAt(piece, 'new_string') ?? ''])
}

/** `+18 −4` */
export function changeText(change: Change | undefined, style: Style): string {
  if (!change) return ''
  const added = change.added > 0 ? style.added(`+${count(change.added)}`) : ''
  const removed = change.removed > 0 ? style.removed(`−${count(change.removed)}`) : ''
  return [added, removed].filter((part) => part !== '').join(' ')
}

const UNSEEN = { style: createStyle({ colour: false }), width: 1, maxLines: 0 }
