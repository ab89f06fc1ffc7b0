import { appendFileSync, copyFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TeamRow } from '../src/collector/row.ts'
import { folderSink } from '../src/collector/sinks/folder.ts'
import { folderPlace, rowsIn } from './collector/folder-place.ts'
import { ALL, collectorOf, FACTS, MemoryState } from './collector/made-collector.ts'
import { ID, LOG, line, type MadeRoot, withRoot } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const MOVED = `projects/-q/${ID}.jsonl`
const OTHER = 'projects/-p/bbbb2222-0000-4000-8000-000000000002.jsonl'

/** What somebody does to logs between two runs. */
type Deed = (made: MadeRoot) => void

const move =
  (from: string, to: string): Deed =>
  ({ root }) => {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    renameSync(join(root, from), join(root, to))
  }
const rewrite =
  (path: string, ...numbers: number[]): Deed =>
  ({ root }) =>
    writeFileSync(join(root, path), numbers.map((number) => line(number)).join(''))
const recreate =
  (path: string, ...numbers: number[]): Deed =>
  (made) => {
    rmSync(join(made.root, path), { force: true })
    made.write(path, numbers.map((number) => line(number)).join(''))
  }
const append =
  (path: string, number: number): Deed =>
  ({ root }) =>
    appendFileSync(join(root, path), line(number))
const both =
  (...deeds: Deed[]): Deed =>
  (made) => {
    for (const deed of deeds) deed(made)
  }

/** Runs before and after each deed; gives all rows as `number`, in the order in which they came. */
async function collected(made: MadeRoot, deeds: readonly Deed[], keepsMemory: boolean, choices = ALL) {
  const sink = new MemorySink()
  let state = new MemoryState()
  const run = async () => {
    if (!keepsMemory) state = new MemoryState()
    const source = made.source(choices)
    const collector = collectorOf(source, sink, { choices, state })
    await collector.start()
    const done = await collector.pass()
    source.close()
    return done
  }
  await run()
  for (const deed of deeds) {
    deed(made)
    await run()
    expect(await run(), 'a second run has nothing to send').toMatchObject({ batches: 0 })
  }
  return { sink, numbers: Array.from(sink.rows.values(), numberOf) }
}

const numberOf = ({ uuid }: TeamRow) => Number(uuid?.slice(-12))
const keyOf = ({ file, generation }: TeamRow) => `${generation} ${file}`

/** What a reader has who takes the newest generation of each file. */
function newest(rows: readonly TeamRow[]): readonly number[] {
  const generations = new Map<string, number>()
  for (const { file, generation } of rows) generations.set(file, Math.max(generation, generations.get(file) ?? 0))
  return rows.filter((row) => generations.get(row.file) === row.generation).map(numberOf)
}

describe.each([
  ['and its memory', true],
  ['and no memory', false],
])('a log, %s', (_, keepsMemory) => {
  test.each([
    ['that moved is sent once', [move(LOG, MOVED)], [1, 2], [1, 2]],
    [
      'that moved and was rewritten later is sent once more, and never again',
      [move(LOG, MOVED), rewrite(MOVED, 8, 9)],
      [1, 2, 8, 9],
      [8, 9],
    ],
    [
      'that moved, was rewritten and grew is read on from where it was',
      [move(LOG, MOVED), rewrite(MOVED, 8, 9), append(MOVED, 10)],
      [1, 2, 8, 9, 10],
      [8, 9, 10],
    ],
    [
      'that moved and was rewritten between two runs goes on under its name',
      [both(move(LOG, MOVED), rewrite(MOVED, 1, 9))],
      [1, 2, 1, 9],
      [1, 9],
    ],
    [
      'that moved, was rewritten between two runs and moved back is not sent again',
      [both(move(LOG, MOVED), rewrite(MOVED, 1, 9)), move(MOVED, LOG), append(LOG, 10)],
      [1, 2, 1, 9, 10],
      [1, 9, 10],
    ],
    [
      'that moved and was made anew as another file goes on under its name',
      [both(move(LOG, MOVED), recreate(MOVED, 1, 9))],
      [1, 2, 1, 9],
      [1, 9],
    ],
    [
      'that was rewritten often before it moved and was rewritten, too',
      [rewrite(LOG, 3), rewrite(LOG, 4), move(LOG, MOVED), rewrite(MOVED, 5), append(MOVED, 6)],
      [1, 2, 3, 4, 5, 6],
      [5, 6],
    ],
    [
      'that moved, and another began under its name: both are there for who takes the newest of each file',
      [both(move(LOG, MOVED), recreate(LOG, 3)), append(MOVED, 4), append(LOG, 5)],
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ],
    [
      'that moved over another is not sent again',
      [recreate(OTHER, 3), move(OTHER, LOG), append(LOG, 4)],
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ],
    [
      'that changed places with another is not sent again',
      [
        recreate(OTHER, 3),
        both(move(LOG, MOVED), move(OTHER, LOG), move(MOVED, OTHER)),
        append(LOG, 4),
        append(OTHER, 5),
      ],
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ],
    [
      'that was cut short has what it was, and what it is',
      [({ root }: MadeRoot) => truncateSync(join(root, LOG), line(1).length)],
      [1, 2, 1],
      [1],
    ],
    [
      'that moves to and fro is sent once',
      [move(LOG, MOVED), move(MOVED, LOG), move(LOG, MOVED), append(MOVED, 3)],
      [1, 2, 3],
      [1, 2, 3],
    ],
  ] as const)('%s', (_, deeds, expected, now) =>
    withRoot({ [LOG]: line(1) + line(2) }, async (made) => {
      const { sink, numbers } = await collected(made, deeds, keepsMemory)
      expect(numbers).toEqual(expected)
      const rows = [...sink.rows.values()]
      expect([...newest(rows)].sort((a, b) => a - b)).toEqual(now)
    }),
  )

  test('of which only hashes leave is found by them, wherever it lies', () =>
    withRoot({ [LOG]: line(1) + line(2) }, async (made) => {
      const deeds = [move(LOG, MOVED), append(MOVED, 3), both(move(MOVED, LOG), append(LOG, 4)), rewrite(LOG, 5)]
      const { sink } = await collected(made, deeds, keepsMemory, FACTS)
      const keys = Array.from(sink.rows.values(), keyOf)
      expect(keys.length).toBe(5)
      expect(new Set(keys).size).toBe(2)
    }))
})

test('a log that came over from another file system, where it is gone, is known by its name and bytes', () =>
  withRoot({ [LOG]: line(1) + line(2) }, async (made) => {
    const carry: Deed = ({ root }) => {
      mkdirSync(dirname(join(root, MOVED)), { recursive: true })
      copyFileSync(join(root, LOG), join(root, MOVED))
      rmSync(join(root, LOG))
    }
    const { numbers, sink } = await collected(made, [carry, append(MOVED, 3)], true)
    expect(numbers).toEqual([1, 2, 3])
    expect(new Set(Array.from(sink.rows.values(), keyOf)).size).toBe(1)
  }))

test('what a folder says of usage does not shrink when a log is cut, rewritten, moved or made again', () =>
  withRoot({}, async ({ root, source, write }) => {
    const reply = (number: number) =>
      line(number, '', {
        type: 'assistant',
        message: {
          id: `msg_${number}`,
          role: 'assistant',
          model: 'claude-opus-5-5',
          usage: { input_tokens: 1, output_tokens: 10 ** number },
          content: [],
        },
      })
    const { folder, remove } = await folderPlace()
    const run = async () => {
      const disk = source()
      const collector = collectorOf(disk, folderSink(folder))
      await collector.start()
      await collector.pass()
      disk.close()
    }
    /** As the page on collecting has it: every generation, and each response once. */
    const spent = async () => {
      const most = new Map<string, number>()
      for (const { kind, messageId, tokens } of await rowsIn(folder)) {
        if (kind === 'response' && messageId && tokens)
          most.set(messageId, Math.max(most.get(messageId) ?? 0, tokens.outputTokens))
      }
      return [...most.values()].reduce((sum, one) => sum + one, 0)
    }
    try {
      write(LOG, reply(0) + reply(1) + reply(2))
      await run()
      expect(await spent()).toBe(111)
      truncateSync(join(root, LOG), reply(0).length)
      await run()
      expect(await spent()).toBe(111)
      write(LOG, reply(3))
      await run()
      expect(await spent()).toBe(1111)
      mkdirSync(dirname(join(root, MOVED)), { recursive: true })
      renameSync(join(root, LOG), join(root, MOVED))
      write(LOG, reply(4))
      await run()
      expect(await spent()).toBe(11111)
      write(MOVED, reply(3) + reply(5))
      await run()
      expect(await spent()).toBe(111111)
    } finally {
      await remove()
    }
  }))
