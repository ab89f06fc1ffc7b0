import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { type Claim, isAlive, readLiveSessions } from './live.ts'

const running = () => true

test('reads who runs', () => {
  const entry = {
    pid: 161066,
    sessionId: 's1',
    cwd: '/p',
    startedAt: 1794765545831,
    procStart: '98776537',
    version: '2.1.325',
    kind: 'interactive',
    status: 'idle',
    name: 'demo',
    updatedAt: 1794765551772,
  }
  const files = {
    'sessions/161066.json': JSON.stringify(entry),
    'sessions/161066.abc.key': 'SECRET',
    'sessions/x.json': '{}',
  }
  withFolder(files, (root) => {
    const claims: Claim[] = []
    const judge = (claim: Claim) => {
      claims.push(claim)
      return running()
    }
    expect(readLiveSessions(root, judge)).toEqual({
      items: [
        {
          pid: 161066,
          sessionId: 's1',
          cwd: '/p',
          startedAt: '2026-11-15T17:59:05.831Z',
          procStart: '98776537',
          status: 'idle',
          name: 'demo',
          updatedAt: '2026-11-15T17:59:11.772Z',
          alive: true,
        },
      ],
      warnings: [],
    })
    expect(claims).toEqual([{ pid: 161066, startedAt: '2026-11-15T17:59:05.831Z', procStart: '98776537' }])
  })
})

test.each([
  [{}, 0, 0],
  [{ sessions: null }, 0, 0],
  [{ sessions: 'x' }, 0, 1],
  [{ 'sessions/1.json': null }, 0, 1],
  [{ 'sessions/1.json': '' }, 0, 1],
  [{ 'sessions/1.json': '[]' }, 0, 1],
  [{ 'sessions/1.json': '{"startedAt":"x","status":5}' }, 1, 0],
])('reads what it can of %j', (files, count, warningCount) => {
  withFolder(files, (root) => {
    const { items, warnings } = readLiveSessions(root, running)
    expect(items).toHaveLength(count)
    expect(warnings).toHaveLength(warningCount)
  })
})

const noon = Date.UTC(2026, 7, 12, 12, 0, 0)
const onLinux = { exists: true, startTicks: 5000, startedAtMs: noon, tellsStart: true }
const elsewhere = { exists: true, startTicks: null, startedAtMs: null, tellsStart: false }

test.each([
  ['no such process', { procStart: '5000' }, { ...onLinux, exists: false }, false],
  ['the same ticks', { procStart: '5000' }, onLinux, true],
  ['other ticks', { procStart: '4999' }, onLinux, false],
  ['the same time as ps prints it', { procStart: 'Wed Aug 12 12:00:01 2026' }, onLinux, true],
  ['another time as ps prints it', { procStart: 'Wed Aug 12 11:59:00 2026' }, onLinux, false],
  ['no process start, the client a little later', { startedAt: '2026-08-12T12:00:04.000Z' }, onLinux, true],
  ['no process start, the process younger than the client', { startedAt: '2026-08-12T11:00:00.000Z' }, onLinux, false],
  ['nothing to compare', {}, onLinux, false],
  ['nonsense', { procStart: 'x', startedAt: 'y' }, onLinux, false],
  ['a start that the system hides', { procStart: '5000' }, { ...onLinux, startTicks: null, startedAtMs: null }, false],
  ['no boot time, but ticks', { procStart: '5000' }, { ...onLinux, startedAtMs: null }, true],
  ['no boot time, no ticks', { startedAt: '2026-08-12T12:00:04.000Z' }, { ...onLinux, startedAtMs: null }, false],
  ['a system that tells no starts', { procStart: 'Wed Aug 12 12:00:01 2026' }, elsewhere, true],
])('judges a claim with %s', (_, claim, seen, alive) => {
  expect(isAlive({ pid: 7, startedAt: null, procStart: null, ...claim }, seen)).toBe(alive)
})

test.runIf(process.platform === 'linux')('finds this very process alive by its ticks and by nothing else', () => {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  const claim = (procStart: string) => JSON.stringify({ pid: process.pid, procStart })
  const files = {
    'sessions/1.json': claim(ticks),
    'sessions/2.json': claim(String(Number(ticks) - 1)),
    'sessions/3.json': JSON.stringify({ pid: process.pid, startedAt: Date.now() }),
    'sessions/4.json': JSON.stringify({ pid: process.pid, startedAt: 0 }),
    'sessions/5.json': JSON.stringify({ pid: 2 ** 30, procStart: ticks }),
    'sessions/6.json': JSON.stringify({ pid: 0, procStart: ticks }),
    'sessions/7.json': JSON.stringify({ pid: -1, procStart: ticks }),
    'sessions/8.json': JSON.stringify({ pid: 1.5, procStart: ticks }),
  }
  withFolder(files, (root) => {
    const alive = readLiveSessions(root).items.map((item) => item.alive)
    expect(alive).toEqual([true, false, true, false, false, false, false, false])
  })
})
