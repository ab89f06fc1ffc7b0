import xterm from '@xterm/headless'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDisplay } from './display.ts'

const SIZE = { cols: 20, rows: 6 }

function terminal() {
  const shown = new xterm.Terminal({ ...SIZE, allowProposedApi: true })
  const lines = () =>
    Array.from({ length: SIZE.rows }, (_, y) => shown.buffer.active.getLine(y)?.translateToString(true))
  return { shown, lines, settled: () => new Promise<void>((done) => shown.write('', done)) }
}

test('a screen shows the last frame, whichever were drawn before it', async () => {
  const line = fc.constantFrom('', 'a', 'ab', '日本語', '\u001b[1mbold\u001b[22m', 'x'.repeat(20), '👩‍💻 dev')
  const frame = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 5 }),
    cursor: fc.record({ x: fc.nat(19), y: fc.nat(4) }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 6 }), async (frames) => {
      const [many, one] = [terminal(), terminal()]
      const display = createDisplay((text) => many.shown.write(text))
      for (const each of frames) display.draw(each)
      const last = frames.at(-1) as (typeof frames)[number]
      createDisplay((text) => one.shown.write(text)).draw(last)
      await Promise.all([many.settled(), one.settled()])
      expect(many.lines()).toEqual(one.lines())
      const { cursorX, cursorY } = many.shown.buffer.active
      expect({ x: cursorX, y: cursorY }).toEqual(last.cursor)
    }),
    { numRuns: 50 },
  )
})

test('a frame that changes one line writes no other, and one that changes nothing writes nothing', () => {
  const written: string[] = []
  const display = createDisplay((text) => written.push(text))
  const cursor = { x: 0, y: 0 }
  display.draw({ lines: ['same', 'before'], cursor })
  display.draw({ lines: ['same', 'after'], cursor })
  display.draw({ lines: ['same', 'after'], cursor })
  expect(written).toHaveLength(2)
  expect(written[1]).toContain('after')
  expect(written[1]).not.toContain('same')
  display.reset()
  display.draw({ lines: ['same', 'after'], cursor })
  expect(written[2]).toContain('same')
})
