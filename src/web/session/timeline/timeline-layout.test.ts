import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Timed, timelinePicture } from './timeline-layout.ts'

const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
const turn = (number: number, from: number, to: number, waitMs: number | null = null) => ({
  turn: number,
  row: number,
  uuid: `p${number}`,
  text: `prompt ${number}`,
  startedAt: at(from),
  endedAt: at(to),
  toolMs: 0,
  askMs: 0,
  apiMs: (to - from) * 1000,
  waitMs,
})
const call = (id: string, from: number, to: number | null) => ({
  id,
  row: 1,
  uuid: `u${id}`,
  turn: 1,
  text: id,
  startedAt: at(from),
  endedAt: to === null ? null : at(to),
  failed: false,
  asks: false,
})
const agent = (id: string, from: number, to: number, parent: string | null = null) => ({
  ...call(id, from, to),
  kind: 'agent' as const,
  parent,
  toolUses: 1,
})
const timed = (parts: Partial<Timed>): Timed => ({
  session: 's',
  agent: null,
  branch: null,
  turns: [],
  calls: [],
  tasks: [],
  toolMs: 0,
  apiMs: 0,
  waitMs: 0,
  ...parts,
})

describe('the picture of a timeline', () => {
  test('what runs side by side stands on lanes of its own, nested agents below theirs', () => {
    const picture = timelinePicture(
      timed({
        turns: [turn(1, 0, 100)],
        calls: [call('a', 10, 40), call('b', 20, 30), call('c', 50, 60)],
        tasks: [agent('x', 10, 80), agent('y', 20, 60), agent('inner', 30, 50, 'x')],
      }),
      [],
    )
    const laneOf = (text: string) => picture?.bars.find((bar) => bar.text === text)?.lane
    expect(['a', 'b', 'c'].map(laneOf)).toEqual([2, 3, 2])
    expect(laneOf('x')).toBe(4)
    expect(laneOf('y')).toBe(5)
    expect(laneOf('inner')).toBe(6)
  })

  test('a step lasts until the next, or to the end of its turn', () => {
    const step = (row: number, second: number) => ({ row, uuid: `s${row}`, text: `step ${row}`, timestamp: at(second) })
    const turns = [turn(1, 0, 100), { ...turn(2, 200, 300), row: 9 }]
    const picture = timelinePicture(timed({ turns }), [step(2, 10), step(4, 40), step(10, 250)])
    const steps = picture?.bars.filter(({ kind }) => kind === 'step') ?? []
    expect(steps.map(({ from, to, turn: number, lane }) => [from, to, number, lane])).toEqual([
      [Date.parse(at(10)), Date.parse(at(40)), 1, 1],
      [Date.parse(at(40)), Date.parse(at(100)), 1, 1],
      [Date.parse(at(250)), Date.parse(at(300)), 2, 1],
    ])
  })

  test('a long wait is folded, and everything keeps its order', () => {
    const night = 12 * 3600
    const picture = timelinePicture(
      timed({ turns: [turn(1, 0, 60, night * 1000), turn(2, 60 + night, 120 + night)] }),
      [],
    )
    const [first, wait, second] = picture?.bars ?? []
    const x = (ms: number | undefined) => picture?.scale.at(ms ?? 0) ?? -1
    expect(wait).toMatchObject({ kind: 'wait', text: 'Waiting for you' })
    expect(x(wait?.to) - x(wait?.from)).toBeLessThan(0.05)
    expect(x(first?.to) - x(first?.from)).toBeGreaterThan(0.45)
    expect(x(second?.to)).toBeCloseTo(1)
  })

  test('a call without an end goes on to the end', () => {
    const picture = timelinePicture(timed({ turns: [turn(1, 0, 100)], calls: [call('a', 10, null)] }), [])
    expect(picture?.bars.find(({ text }) => text === 'a')).toMatchObject({ isOpen: true, to: Date.parse(at(100)) })
  })

  test('nothing on one lane overlaps, and later is never to the left', () => {
    const span = fc.tuple(fc.nat(300), fc.nat(200)).map(([from, length]) => [from, from + length] as const)
    fc.assert(
      fc.property(fc.array(span, { maxLength: 5 }), (spans) => {
        const calls = spans.map(([from, to], id) => call(String(id), from, to))
        const picture = timelinePicture(timed({ turns: [turn(1, 0, 600)], calls }), [])
        const bars = picture?.bars.filter(({ kind }) => kind === 'call') ?? []
        expect(bars).toHaveLength(spans.length)
        for (const a of bars) {
          for (const b of bars) {
            if (a !== b && a.lane === b.lane && a.from < b.from) expect(a.to).toBeLessThanOrEqual(b.from)
          }
        }
        const moments = Array.from({ length: 60 }, (_, i) => Date.parse(at(i * 10)))
        const places = moments.map((ms) => picture?.scale.at(ms) ?? 0)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }),
    )
  })

  test('without times there is none', () => {
    expect(timelinePicture(timed({}), [])).toBeUndefined()
  })
})
