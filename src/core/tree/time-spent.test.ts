import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coveredMs, timeSpent } from './time-spent.ts'

const call = (from: number, to: number, isAsking = false) => ({ from, to, isAsking })

describe('where the time of a turn went', () => {
  test('tools from call to result, questions to the person, the rest to the API', () => {
    expect(timeSpent({ from: 0, to: 100 }, [call(10, 30), call(60, 90, true)])).toEqual({
      toolMs: 20,
      askMs: 30,
      apiMs: 50,
    })
  })

  test('what ran side by side counts once', () => {
    expect(timeSpent({ from: 0, to: 100 }, [call(10, 40), call(20, 50), call(25, 30)]).toolMs).toBe(40)
  })

  test('a call that outlasts the turn counts as far as the turn goes', () => {
    expect(timeSpent({ from: 0, to: 100 }, [call(90, 400)])).toEqual({ toolMs: 10, askMs: 0, apiMs: 90 })
  })

  const stretch = fc.tuple(fc.nat(60), fc.nat(60)).map(([from, length]) => ({ from, to: from + length }))

  test('the parts make up the whole, and none is below zero', () => {
    fc.assert(
      fc.property(stretch, fc.array(fc.tuple(stretch, fc.boolean())), (turn, made) => {
        const spent = timeSpent(
          turn,
          made.map(([one, isAsking]) => ({ ...one, isAsking })),
        )
        expect(spent.toolMs + spent.askMs + spent.apiMs).toBe(turn.to - turn.from)
        expect(Math.min(spent.toolMs, spent.askMs, spent.apiMs)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('covers what a count of moments covers', () => {
    fc.assert(
      fc.property(fc.array(stretch), (stretches) => {
        const moments = Array.from({ length: 130 }, (_, at) => at)
        const counted = moments.filter((at) => stretches.some(({ from, to }) => at >= from && at < to)).length
        expect(coveredMs(stretches)).toBe(counted)
      }),
    )
  })
})
