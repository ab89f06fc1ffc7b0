import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { takeLock } from './lock.ts'

test('one process at a time holds it', () =>
  withFolder({}, (folder) => {
    const lock = takeLock(folder)
    expect(() => takeLock(folder, { waitMs: 30 })).toThrow(new RegExp(`process ${process.pid}`))
    lock.check()
    lock.release()
    expect(readdirSync(folder)).toEqual([])
    takeLock(folder).release()
  }))

test('a lock whose process has ended, or was never one, is taken over', () =>
  withFolder({}, (folder) => {
    const ended = spawnSync('true').pid
    const claims = [
      JSON.stringify({ pid: ended, procStart: '1' }),
      // The number runs, but it is another process.
      JSON.stringify({ pid: process.pid, procStart: '1' }),
      '',
      'not JSON',
    ]
    for (const claim of process.platform === 'linux' ? claims : claims.slice(2)) {
      writeFileSync(join(folder, 'lock'), claim)
      const lock = takeLock(folder, { waitMs: 30 })
      lock.check()
      lock.release()
      expect(existsSync(join(folder, 'lock')), claim).toBe(false)
    }
  }))

test('who was robbed of it notices before changing anything', () =>
  withFolder({}, (folder) => {
    const lock = takeLock(folder)
    writeFileSync(join(folder, 'lock'), '{}')
    expect(() => lock.check()).toThrow(/taken over/)
    lock.release()
    expect(existsSync(join(folder, 'lock'))).toBe(true)
  }))

test('a process that still runs keeps it', () =>
  withFolder({}, (folder) => {
    mkdirSync(folder, { recursive: true })
    const child = spawn('sleep', ['20'])
    try {
      const stat =
        process.platform === 'linux' ? spawnSync('cat', [`/proc/${child.pid}/stat`], { encoding: 'utf8' }).stdout : ''
      const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
      writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: child.pid, procStart }))
      expect(() => takeLock(folder, { waitMs: 30 })).toThrow(/Another annals/)
    } finally {
      child.kill()
    }
  }))

test('what a process left that was killed while it took a lock is cleared away; what a running one uses is not', () =>
  withFolder({}, (folder) => {
    const ended = spawnSync('true').pid
    // A draft, half a draft, and a stale lock that was taken away.
    writeFileSync(join(folder, `lock.${ended}-0`), JSON.stringify({ pid: ended, procStart: '1' }))
    writeFileSync(join(folder, `lock.${ended}-1`), '{"pi')
    writeFileSync(join(folder, `lock.${ended}-2`), JSON.stringify({ pid: 1, procStart: '1' }))
    // Another thread of this process is about to write its draft.
    writeFileSync(join(folder, `lock.${process.pid}-7`), '')
    writeFileSync(join(folder, 'lock.json'), 'not ours')
    takeLock(folder).release()
    expect(readdirSync(folder).sort()).toEqual([`lock.${process.pid}-7`, 'lock.json'].sort())
  }))
