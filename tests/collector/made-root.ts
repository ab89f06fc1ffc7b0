import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isCollectedPath } from '../../src/collector/collected-files.ts'
import { diskSource } from '../../src/disk/disk-source.ts'
import { ALL } from './made-collector.ts'

export const ID = 'aaaa1111-0000-4000-8000-000000000001'
export const LOG = `projects/-p/${ID}.jsonl`

/** A record of a session, as a line. */
export function line(number: number, text = `word ${number}`, more: object = {}): string {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const message = { role: 'user', content: text }
  const timestamp = new Date(Date.parse('2026-11-14T10:00:00.000Z') + number * 1000).toISOString()
  return `${JSON.stringify({ parentUuid: null, type: 'user', message, uuid, timestamp, cwd: '/home/ana/p', sessionId: ID, ...more })}\n`
}

/** A root on the disk for the time of a test. */
export function madeRoot(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'annals-collect-'))
  const root = join(folder, 'root')
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  mkdirSync(join(root, 'projects'), { recursive: true })
  for (const [path, content] of Object.entries(files)) write(path, content)
  return {
    folder,
    root,
    write,
    append: (path: string, content: string | Uint8Array) => appendFileSync(join(root, path), content),
    source: (choices = ALL) => diskSource([root], { include: (path) => isCollectedPath(path, choices) }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type MadeRoot = ReturnType<typeof madeRoot>

/** Uses a root and removes it. */
export async function withRoot(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (made: MadeRoot) => Promise<void>,
): Promise<void> {
  const made = madeRoot(files)
  try {
    await use(made)
  } finally {
    made.remove()
  }
}
