import { expect, test } from 'vitest'
import { pointOf, readPoint } from './point-link.ts'

const SESSION = '3f9a1b2c-0000-4000-8000-000000000001'

test('a row is a point as the command line takes it', () => {
  expect(pointOf(SESSION, '8c1d22ab-1111-4000-8000-000000000002')).toBe(`${SESSION}:8c1d22ab`)
  expect(pointOf('agent-a1', 'odd id')).toBe('agent-a1:odd id')
})

test('a point is read back; a name without one is none', () => {
  expect(readPoint(`${SESSION}:8c1d22ab`)).toEqual({ session: SESSION, at: '8c1d22ab' })
  expect(readPoint('last:3')).toEqual({ session: 'last', at: '3' })
  expect(readPoint(SESSION)).toBeUndefined()
})
