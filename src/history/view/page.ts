import { Failure } from '../../core/failure.ts'
import type { Turn } from '../../core/tree/turns.ts'
import type { Walk } from '../../core/tree/walk.ts'

/** Rows of a page where no count is given, and at most. */
export const USUAL_ROWS = 50
export const MOST_ROWS = 500

/** Which rows are asked for. */
export interface RowsAsked {
  /** The first row; negative numbers count from the end. */
  readonly from?: number | undefined
  readonly count?: number | undefined
  /** A row that the page holds, instead of `from`. */
  readonly at?: number | null
}

/** A page of a walk by rows: from one row to before another. */
export function pageOfRows({ rows: { length: total } }: Walk, { from = 0, count = USUAL_ROWS, at = null }: RowsAsked) {
  if (!Number.isInteger(count) || count < 1 || count > MOST_ROWS) {
    throw new Failure('BAD_INPUT', `A page has 1 to ${MOST_ROWS} rows, not ${count}.`)
  }
  const asked = at === null ? from : at - (at % count)
  const first = Math.min(total, asked < 0 ? Math.max(0, total + asked) : asked)
  return { from: first, to: Math.min(total, first + count) }
}

/** A page of a walk by turns: `3`, `2..5`, `4..`, `..-2`, numbered from 1 and negative from the end; all where none are named. */
export function pageOfTurns({ turns }: Walk, wanted: string | undefined): readonly Turn[] {
  if (wanted === undefined) return turns
  const range = /^(-?\d+)?(\.\.)?(-?\d+)?$/.exec(wanted)
  if (!range || wanted === '' || wanted === '..') {
    throw new Failure('BAD_INPUT', `"${wanted}" is not a range of turns.`, { hint: HINT })
  }
  const last = turns.at(-1)?.number ?? 0
  const absolute = (text: string | undefined, otherwise: number) => {
    const number = text === undefined ? otherwise : Number(text)
    return number < 0 ? last + 1 + number : number
  }
  const from = absolute(range[1], 0)
  const to = range[2] ? absolute(range[3], last) : from
  const picked = turns.filter((turn) => turn.number >= from && turn.number <= to)
  if (picked.length > 0 || last === 0) return picked
  const none = wanted.includes('..') ? `There are no turns ${wanted}` : `There is no turn ${wanted}`
  throw new Failure('BAD_INPUT', `${none}: it has ${last === 1 ? 'one turn' : `turns 1 to ${last}`}.`, { hint: HINT })
}

const HINT = 'Write 3, 2..5, 4.. or -2.. for the last two.'
