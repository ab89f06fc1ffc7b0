import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import { log, root } from '../testing/index.ts'
import { openFamily } from './open-sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-open-sessions-'))
const logs = ['a', 'b', 'c', 'd', 'e'].map((seed) => log({ seed }).user(`asked ${seed}`).assistant('Done.'))

beforeAll(() =>
  root()
    .add(...logs)
    .write(folder),
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function opener() {
  const library = new Library({ roots: [folder] })
  return {
    library,
    open: (at: number) => {
      const files = library.sessions().find(({ id }) => id === logs[at]?.sessionId)
      if (!files) throw new Error('The session is not listed.')
      return openFamily(library, files)
    },
  }
}

test('a session is read once while its files stay as they are, and again when its log grows', () => {
  const { library, open } = opener()
  const first = open(0)
  expect(open(0)).toBe(first)
  expect(open(0).conversation()).toBe(first.conversation())
  const row = {
    type: 'user',
    uuid: 'more',
    parentUuid: null,
    sessionId: logs[0]?.sessionId,
    message: { content: 'hi' },
  }
  appendFileSync(first.files.log?.path ?? '', `${JSON.stringify(row)}\n`)
  library.refresh()
  expect(open(0)).not.toBe(first)
  expect(open(0).main?.facts.nodes.at(-1)?.uuid).toBe('more')
})

test('four sessions are kept open: the one that was asked for longest ago is read again', () => {
  const { open } = opener()
  const first = open(0)
  const second = open(1)
  for (const at of [2, 3]) open(at)
  expect(open(0)).toBe(first)
  open(4)
  expect(open(0)).toBe(first)
  expect(open(1)).not.toBe(second)
})

test('what is derived from an open session is computed once, and anew for another', () => {
  const { open } = opener()
  let times = 0
  const count = () => ++times
  expect([open(0).derive(count), open(0).derive(count)]).toEqual([1, 1])
  expect(open(1).derive(count)).toBe(2)
  expect(open(0).conversation()?.derive(count)).toBe(3)
})
