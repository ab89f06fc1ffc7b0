import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextPool } from './text-pool.ts'

/** Any text at all: ids, words of any script, halves of surrogate pairs. */
const texts = fc.array(
  fc.oneof(
    fc.uuid(),
    // What looks like a uuid and would not come back as it was.
    fc.uuid().map((uuid) => uuid.toUpperCase()),
    fc.uuid().map((uuid) => uuid.replace('-', 'g')),
    fc.string({ unit: 'binary' }),
    fc.string({ maxLength: 3 }),
    fc.constant('\ud800'),
    fc.constant(''),
  ),
  { maxLength: 300 },
)

test('a text has one number, and the number gives it back', () => {
  fc.assert(
    fc.property(texts, (all) => {
      const pool = new TextPool()
      const ids = all.map((text) => pool.idOf(text))
      expect(ids.map((id) => pool.textOf(id))).toEqual(all)
      expect(all.map((text) => pool.find(text))).toEqual(ids)
      expect(pool.size).toBe(new Set(all).size)
    }),
  )
})

test('what was never put in is not found', () => {
  fc.assert(
    fc.property(texts, fc.string(), (all, other) => {
      fc.pre(!all.includes(other))
      const pool = new TextPool()
      for (const text of all) pool.idOf(text)
      expect(pool.find(other)).toBe(-1)
    }),
  )
})

test('a pool opened from its parts goes on with the same numbers', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const pool = new TextPool()
      for (const text of before) pool.idOf(text)
      const opened = TextPool.from(pool.parts())
      expect(after.map((text) => opened.idOf(text))).toEqual(after.map((text) => pool.idOf(text)))
      expect([...before, ...after].map((text) => opened.textOf(opened.find(text)))).toEqual([...before, ...after])
    }),
  )
})

test('some of the texts make a pool of their own', () => {
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.boolean()), (all, isPicked) => {
      const pool = new TextPool()
      const ids = [...new Set(all.map((text) => pool.idOf(text)))].filter(() => isPicked.next().value)
      const { bytes, ...rest } = pool.pick(Int32Array.from(ids))
      const picked = TextPool.from({ ...rest, bytes: Uint8Array.from([...bytes].flatMap((piece) => [...piece])) })
      expect(ids.map((_, i) => picked.textOf(i))).toEqual(ids.map((id) => pool.textOf(id)))
      expect(ids.map((id) => picked.find(pool.textOf(id)))).toEqual(ids.map((_, i) => i))
    }),
  )
})

test('texts longer than a call may have arguments', () => {
  const long = ['a', 'ä', '漢'].map((letter) => letter.repeat(300_000))
  const pool = new TextPool()
  const ids = long.map((text) => pool.idOf(text))
  expect(ids.map((id) => pool.textOf(id)) as readonly string[]).toEqual(long)
})
