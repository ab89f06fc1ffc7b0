import type { Static } from '../../core/schema.ts'
import type { record } from '../../ops/record.ts'
import { plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { nothing } from './parts/lines.ts'
import { placeName } from './parts/names.ts'

type Result = Static<typeof record.result>

/** A record as JSON that is easy to read, and nothing else where nobody looks on. */
export function formatRecord(result: Result, view: View): readonly string[] {
  const { raw, text, withheld } = result
  if (raw === null && withheld) {
    return nothing("It holds Claude Code's own system prompt.", view, 'Add --raw to see it anyway.')
  }
  const json = raw === null ? plain(text) : escaped(pretty(raw) ?? text)
  const lines = json.split('\n').flatMap((line) => wrap(plain(line), view.width))
  if (view.width === Number.POSITIVE_INFINITY) return lines
  const note = withheld ? ' · without what Claude Code added for the model (--raw)' : ''
  return [view.style.dim(truncate(`${placeName(result, view, view.width)}${note}`, view.width)), ...lines]
}

/** `undefined` where it is nested too deep. */
function pretty(raw: object): string | undefined {
  try {
    return JSON.stringify(raw, null, 2)
  } catch {
    return undefined
  }
}

/** What cannot be seen is written as JSON would, so that it stays the same JSON. */
function escaped(json: string): string {
  return json.replace(UNSEEN, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
