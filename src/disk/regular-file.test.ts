import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRegular } from './regular-file.ts'

let dir = ''
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'annals-regular-')))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('opens a regular file', () => {
  writeFileSync(join(dir, 'a.jsonl'), 'x')
  const fd = openRegular(join(dir, 'a.jsonl'))
  if (typeof fd !== 'number') throw new Error(fd.message)
  expect(readFileSync(fd, 'utf8')).toBe('x')
  closeSync(fd)
})

test('T16: says that a missing file is gone', () => {
  expect(openRegular(join(dir, 'no.jsonl'))).toMatchObject({ kind: 'gone' })
  writeFileSync(join(dir, 'file'), '')
  expect(openRegular(join(dir, 'file', 'below.jsonl'))).toMatchObject({ kind: 'gone' })
})

test('T30: refuses a pipe without waiting for a writer', () => {
  execFileSync('mkfifo', [join(dir, 'x.jsonl')])
  expect(openRegular(join(dir, 'x.jsonl'))).toEqual({
    kind: 'not-a-file',
    message: 'It is a pipe, not a file, and was not opened.',
  })
})

test('T30: refuses folders, devices and sockets', async () => {
  mkdirSync(join(dir, 'folder.jsonl'))
  expect(openRegular(join(dir, 'folder.jsonl'))).toMatchObject({ kind: 'not-a-file' })
  expect(openRegular('/dev/null')).toMatchObject({ kind: 'not-a-file' })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(dir, 's.jsonl'), resolve))
  expect(openRegular(join(dir, 's.jsonl'))).toMatchObject({ message: expect.stringContaining('socket') })
  await new Promise((resolve) => server.close(resolve))
})

test('T30: follows a link only into the folders it is given', () => {
  mkdirSync(join(dir, 'root'))
  mkdirSync(join(dir, 'root-sibling'))
  writeFileSync(join(dir, 'root', 'real.jsonl'), 'x')
  writeFileSync(join(dir, 'root-sibling', 'real.jsonl'), 'x')
  symlinkSync(join(dir, 'root', 'real.jsonl'), join(dir, 'in.jsonl'))
  symlinkSync(join(dir, 'root-sibling', 'real.jsonl'), join(dir, 'out.jsonl'))
  symlinkSync(join(dir, 'circle.jsonl'), join(dir, 'circle.jsonl'))
  symlinkSync(join(dir, 'nothing.jsonl'), join(dir, 'dangling.jsonl'))
  const folders = [join(dir, 'root')]
  const fd = openRegular(join(dir, 'in.jsonl'), folders)
  expect(fd).toBeTypeOf('number')
  if (typeof fd === 'number') closeSync(fd)
  expect(openRegular(join(dir, 'in.jsonl'))).toMatchObject({ kind: 'outside' })
  expect(openRegular(join(dir, 'out.jsonl'), folders)).toMatchObject({ kind: 'outside' })
  expect(openRegular(join(dir, 'circle.jsonl'), folders)).toMatchObject({ kind: 'unreadable' })
  expect(openRegular(join(dir, 'dangling.jsonl'), folders)).toMatchObject({ kind: 'gone' })
})

test('S13: says in a sentence that a file may not be read', () => {
  const path = join(dir, 'a.jsonl')
  writeFileSync(path, 'x')
  chmodSync(path, 0)
  // Permissions do not bind the superuser, who therefore steps down for a moment.
  const isSuperuser = process.getuid?.() === 0
  chmodSync(dir, 0o755)
  if (isSuperuser) process.seteuid?.(65534)
  try {
    expect(openRegular(path)).toMatchObject({ kind: 'unreadable', message: 'It could not be read: permission denied.' })
  } finally {
    if (isSuperuser) process.seteuid?.(0)
  }
  expect(openRegular(join(dir, 'x'.repeat(300)))).toMatchObject({ kind: 'unreadable' })
})
