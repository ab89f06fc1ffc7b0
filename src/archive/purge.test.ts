import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { NOW, withArchived } from '../../tests/support/made-archive.ts'
import { purgeSession } from './purge.ts'
import { verifyArchive } from './verify.ts'

const prompt = (display: string, sessionId: string | null, contentHash?: string) =>
  `${JSON.stringify({
    display,
    timestamp: 1,
    project: '/p',
    ...(sessionId !== null && { sessionId }),
    pastedContents: contentHash ? { 1: { id: 1, type: 'text', contentHash } } : {},
  })}\n`

const HISTORY = [
  prompt('xyzzy one', 'zork', 'zz11'),
  prompt('kept', '77', 'bb22'),
  prompt('xyzzy two', 'zork', 'bb22'),
  prompt('old', null),
]
const FILES = {
  'projects/-p/zork.jsonl': '{"type":"user","sessionId":"zork","slug":"xyzzy-plan","text":"xyzzy"}\n',
  'projects/-p/zork/tool-results/b1.txt': 'xyzzy result',
  'projects/-p/agent-0a.jsonl': '{"type":"user","sessionId":"zork","text":"xyzzy flat"}\n',
  'projects/-p/77.jsonl': '{"sessionId":"77","text":"stays"}\n',
  'projects/-p/memory/MEMORY.md': 'shared',
  'plans/xyzzy-plan.md': 'xyzzy',
  'todos/zork-agent-zork.json': '["xyzzy"]',
  'paste-cache/zz11.txt': 'xyzzy pasted',
  'paste-cache/bb22.txt': 'also named by another',
  'history.jsonl': HISTORY.join(''),
} as const

/** All bytes of an archive, packed and unpacked. */
function everything(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name))
      return `${name}\n${bytes.toString('latin1')}\n${name.endsWith('.gz') ? gunzipSync(bytes).toString('latin1') : ''}`
    })
    .join('\n')
}

test('no byte of a purged session is left, and all others are as they were', () =>
  withArchived(FILES, async ({ sync, folder, content, read, write }) => {
    await sync()
    write('projects/-p/zork.jsonl', 'xyzzy rewritten\n')
    await sync()
    const purged = await purgeSession(folder, 'zork', { now: NOW })
    expect(purged.files).toBe(6)
    expect(purged.historyLines).toBe(2)
    const left = everything(folder)
    expect(left).not.toMatch(/xyzzy|zork|zz11/)
    expect(content('projects/-p/77.jsonl')).toBe(FILES['projects/-p/77.jsonl'])
    expect(content('history.jsonl')).toBe(`${HISTORY[1]}${HISTORY[3]}`)
    expect([...read().manifest.state.files.values()].map(({ path }) => path).sort()).toEqual([
      'history.jsonl',
      'paste-cache/bb22.txt',
      'projects/-p/77.jsonl',
      'projects/-p/memory/MEMORY.md',
    ])
    expect(verifyArchive(folder, { now: NOW })).toMatchObject({ problems: [], idle: 0 })
  }))

test('a purged session never comes back, however often and in whatever way the root is read', () =>
  withArchived(FILES, async ({ sync, folder, write, content, read }) => {
    await sync()
    await purgeSession(folder, 'zork', { now: NOW })
    for (let round = 0; round < 3; round++) {
      await sync({ thorough: round === 1 })
      expect(everything(folder), `round ${round}`).not.toMatch(/xyzzy|zork|zz11/)
    }
    write('history.jsonl', HISTORY.join('') + prompt('xyzzy three', 'zork') + prompt('new', '77'))
    write('projects/-p/zork.jsonl', 'xyzzy again\n')
    await sync()
    expect(everything(folder)).not.toMatch(/xyzzy|zork/)
    expect(content('history.jsonl')).toBe(`${HISTORY[1]}${HISTORY[3]}${prompt('new', '77')}`)
    // Also where the history was rewritten, so that all of it is read again.
    write('history.jsonl', prompt('xyzzy four', 'zork') + prompt('first', '77'))
    await sync()
    expect(everything(folder)).not.toMatch(/xyzzy|zork/)
    expect(content('history.jsonl')).toBe(prompt('first', '77'))
    expect(read().manifest.damage).toEqual([])
  }))

test('a session that was never kept is remembered as purged too', () =>
  withArchived(FILES, async ({ sync, folder }) => {
    await purgeSession(folder, 'zork', {
      now: NOW,
      paths: ['projects/-p/agent-0a.jsonl', 'plans/xyzzy-plan.md', 'paste-cache/zz11.txt'],
    })
    await sync()
    expect(everything(folder)).not.toMatch(/xyzzy|zork/)
  }))

test('content that another session has too stays for that one', () =>
  withArchived(
    { 'projects/-p/zork.jsonl': 'the same\n', 'projects/-p/77.jsonl': 'the same\n' },
    async ({ sync, folder, content }) => {
      await sync()
      await purgeSession(folder, 'zork', { now: NOW })
      expect(content('projects/-p/77.jsonl')).toBe('the same\n')
    },
  ))
