import { expect, test } from 'vitest'
import { notificationText, typedText } from './item-text.ts'

test('a command is told as it was typed', () => {
  expect(typedText({ kind: 'command', name: '/model', args: 'opus', expansion: null, output: null })).toBe(
    '/model opus',
  )
  expect(typedText({ kind: 'command', name: '/cost', args: '', expansion: null, output: null })).toBe('/cost')
  expect(typedText({ kind: 'bash', input: 'ls -l', output: '' })).toBe('ls -l')
})

test('a notification tells its status once', () => {
  const note = (text: string, status: string | null) =>
    notificationText({ kind: 'notification', toolUseId: null, text, status })
  expect(note('Agent "x" finished', 'completed')).toBe('Agent "x" finished')
  expect(note('Agent "x" failed', 'failed')).toBe('Agent "x" failed')
  expect(note('Agent "x" ended', 'killed')).toBe('Agent "x" ended · killed')
  expect(note('Agent "x" ended', null)).toBe('Agent "x" ended')
})
