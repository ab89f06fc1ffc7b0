import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDemoRoot } from '../../src/testing/index.ts'
import { argumentsOf, commandsToTry, writeArguments } from '../support/command-arguments.ts'
import { temporaryFolder } from './annals.ts'
import { type ShownLine, type Size, screensOf } from './screens-of.ts'

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 50 },
]

/** What these print is for programs: a path or a command that was cut would be of no use. */
const WHOLE = new Set(['path', 'resume'])

const folder = temporaryFolder()
const demo = join(folder.path, 'demo')
const tried = await commandsToTry()
/** Every command on the demo root, its help, and the help of all. */
function argvsIn(place: string): readonly (readonly string[])[] {
  return [
    ['help'],
    ...tried.map((op) => [op.name, '--help']),
    ...tried.map((op) => [op.name, ...argumentsOf(op, place), '--root', demo]),
  ]
}

let words: ReadonlySet<string>
const screens = new Map<Size, readonly (readonly ShownLine[])[]>()

beforeAll(async () => {
  writeDemoRoot(demo, new Date())
  words = wordsBelow(demo)
  await Promise.all(SIZES.map(async (size) => screens.set(size, await screensAt(size))))
}, 600_000)
afterAll(folder.remove)

/** Each terminal has a folder and a state of its own: what one sends or purges is nothing to the others. */
function screensAt(size: Size): Promise<readonly (readonly ShownLine[])[]> {
  const place = join(folder.path, String(size.columns))
  mkdirSync(place)
  writeArguments(place)
  const env = { PATH: process.env.PATH ?? '', HOME: place, ANNALS_HOME: join(place, 'home') }
  return screensOf(argvsIn(place), size, { cwd: place, env })
}

describe.each(SIZES)('at $columns × $rows', (size) => {
  test.each(argvsIn('').map((argv, at) => [nameOf(argv), at] as const))(
    '%s fits, and no word of ours is cut',
    (name, at) => {
      const lines = screens.get(size)?.[at] ?? []
      expect(lines.length).toBeGreaterThan(0)
      if (!WHOLE.has(name)) expect(lines.filter((line) => line.isWrapped).map(({ text }) => text)).toEqual([])
      expect(lines.flatMap(({ text }) => cutWords(text))).toEqual([])
    },
  )
})

function nameOf(argv: readonly string[]): string {
  return argv.includes('--help') ? `${argv[0]} --help` : (argv[0] ?? '')
}

/**
 * Words of ours that were cut. What a log holds may be cut where there is no room for it; so a word counts as ours if none
 * of the demo begins like it. A flag is never a word of a log.
 */
function cutWords(line: string): readonly string[] {
  return [...line.matchAll(/(\S+)…(?![\])>])/g)].flatMap(([, before = '']) => {
    const isFlag = /--[\w-]*$/.test(before)
    const part = /[\p{L}\p{N}]+$/u.exec(before)?.[0].toLowerCase()
    // `<session>…` and `"…` say that something goes on, and cut nothing.
    return isFlag || (part !== undefined && !isBeginning(part)) ? [line] : []
  })
}

function isBeginning(part: string): boolean {
  for (const word of words) if (word.startsWith(part)) return true
  return false
}

/** Every word in every file of a folder, and the parts of their names. */
function wordsBelow(path: string): ReadonlySet<string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = files
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => `${file} ${readFileSync(file, 'utf8')}`)
  return new Set(
    texts.flatMap(
      (text) =>
        text
          .replaceAll(/\\[nrt]/g, ' ')
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  )
}
