import { expect, test } from 'vitest'
import { resumeCommand } from './resume-command.ts'

test('goes to the folder first', () => {
  expect(resumeCommand({ id: '3f9a', project: { path: '/home/ana/api' } })).toBe(
    'cd /home/ana/api && claude --resume 3f9a',
  )
})

test('a path is one word, whatever stands in it', () => {
  const path = "/tmp/$(touch x)/it's\n"
  expect(resumeCommand({ id: '3f9a', project: { path } })).toBe(`cd '/tmp/$(touch x)/it'\\''s' && claude --resume 3f9a`)
})

test('without a folder only the command', () => {
  expect(resumeCommand({ id: '-x', project: { path: null } })).toBe("claude --resume '-x'")
})
