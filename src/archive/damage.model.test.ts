import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MadeArchive, NOW, withArchived } from '../../tests/support/made-archive.ts'
import { copyFolder } from '../../tests/support/made-folder.ts'
import { type Archive, readContent } from './archive.ts'
import { lostIn } from './lost-found.ts'
import type { Objects } from './objects.ts'
import { purgeSession } from './purge.ts'
import { repairArchive } from './repair.ts'
import { verifyArchive } from './verify.ts'

/** Ten times as many by ANNALS_CRASH=all. */
const rounds = (few: number) => (process.env.ANNALS_CRASH === 'all' ? 10 * few : few)
const PATHS = ['projects/-p/a.jsonl', 'projects/-p/b.jsonl', 'projects/-q/a.jsonl', 'tasks/c/1.json', 'history.jsonl']
const path = fc.constantFrom(...PATHS)
const size = fc.oneof(fc.nat(60), fc.integer({ min: 130_000, max: 150_000 }))
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('append' as const), path, size }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rewrite' as const), path, size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('copy' as const), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), path, to: path }) },
  { weight: 1, arbitrary: fc.constant({ do: 'purge' as const }) },
  { weight: 5, arbitrary: fc.constant({ do: 'sync' as const }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What happens to one file: `where` and `amount` are parts of its length. */
const damage = fc.record({
  file: fc.nat(),
  how: fc.constantFrom('delete', 'empty', 'cut', 'cut one', 'cut at a line', 'flip', 'overwrite', 'append', 'exchange'),
  where: fc.double({ min: 0, max: 0.999, noNaN: true }),
  amount: fc.integer({ min: 1, max: 300 }),
})
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never

async function live({ root, folder, write, sync }: MadeArchive, steps: readonly Step[]): Promise<void> {
  let count = 0
  // Whole lines, so that the history is kept to its end; no other step makes the same.
  const fresh = (length: number) => `${`<${count++}>`.repeat(length).slice(0, length)}\n`
  for (const one of [...steps, { do: 'sync' as const }]) {
    if (one.do === 'sync') await sync()
    else if (one.do === 'purge') await purgeSession(folder, 'c', { now: NOW })
    else if (one.do === 'rewrite' || !existsSync(join(root, one.path)))
      write(one.path, fresh('size' in one ? one.size : 9))
    else if (one.do === 'append') appendFileSync(join(root, one.path), fresh(one.size))
    else if (one.do === 'copy') write(one.to, readFileSync(join(root, one.path)))
    else if (one.path !== one.to) {
      write(one.to, '')
      renameSync(join(root, one.path), join(root, one.to))
    }
  }
}

function harm(file: string, others: readonly string[], { how, where, amount }: Damage): void {
  const bytes = readFileSync(file)
  const at = Math.floor(where * bytes.length)
  const put = (changed: Buffer) => writeFileSync(file, changed)
  if (how === 'delete') rmSync(file)
  if (how === 'empty') put(Buffer.alloc(0))
  if (how === 'cut') put(bytes.subarray(0, at))
  if (how === 'cut one') put(bytes.subarray(0, -1))
  if (how === 'cut at a line') put(bytes.subarray(0, bytes.indexOf('\ncommit', at) + 1 || bytes.indexOf(10, at) + 1))
  if (how === 'flip') bytes[at] = (bytes[at] as number) ^ (1 << (amount % 8))
  if (how === 'overwrite') bytes.fill('#', at, Math.min(bytes.length, at + amount))
  if (how === 'flip' || how === 'overwrite') put(bytes)
  if (how === 'append') put(Buffer.concat([bytes, Buffer.alloc(amount, 'x')]))
  if (how === 'exchange') put(readFileSync(others[amount % others.length] as string))
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile())
    .sort()

/** Every content that is kept, by path and generation. */
function contents(archive: Archive): Map<string, string> {
  const all = new Map<string, string>()
  for (const { path, generations } of archive.manifest.state.files.values()) {
    for (const [at, generation] of generations.entries()) {
      const bytes = readContent(archive, generation)
      if (typeof bytes !== 'string' && bytes.length > 0) all.set(`${path} ${at + 1}`, bytes.toString('latin1'))
    }
  }
  return all
}

/** What can be had back of an archive: what is in use, and what was put aside. */
function restorable(archive: Archive): Set<string> {
  const used = new Set(archive.manifest.state.references().keys())
  const read = (objects: Objects) => [...objects.hashes()].filter((one) => typeof objects.unpack(one) !== 'string')
  return new Set([...read(archive.objects).filter((one) => used.has(one)), ...read(lostIn(archive.folder))])
}

test('damage to any one file is named or harmless, and after a repair every byte that an intact object holds is there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 20 }),
      fc.array(damage, { minLength: 1, maxLength: 2 }),
      (steps, harms) =>
        withArchived({ 'projects/-p/a.jsonl': 'first\n', 'tasks/c/1.json': 'task\n' }, async (made) => {
          const { folder, root, read, sync } = made
          await live(made, steps)
          const roots = readdirSync(root)
          // Only the archive has it now.
          for (const name of roots) rmSync(join(root, name), { recursive: true })
          const purged = [...read().manifest.state.purged.keys()]
          const saved = `${folder}-saved`
          copyFolder(folder, saved)
          for (const one of harms) {
            const before = contents(read())
            const intact = restorable(read())
            const files = filesIn(folder)
            const file = files[one.file % files.length] as string
            const bytes = readFileSync(file)
            harm(file, files, one)
            if (existsSync(file) && readFileSync(file).equals(bytes)) continue
            const { problems } = verifyArchive(folder, { now: NOW })
            const isNamed = problems.some((problem) => problem.file === file)
            if (problems.length === 0) expect(contents(read()), `${one.how} ${file}`).toEqual(before)
            else expect(isNamed, `${one.how} ${file}: ${JSON.stringify(problems)}`).toBe(true)
            await repairArchive(folder, { now: NOW })
            if (/data.*\.gz$/.test(file)) intact.delete(/([0-9a-f]{64})\.gz$/.exec(file)?.[1] as string)
            const after = read()
            for (const sha256 of intact) expect(restorable(after).has(sha256), `${one.how} ${file}`).toBe(true)
            if (!file.endsWith('.gz')) expect(contents(after), `${one.how} ${file}`).toEqual(before)
            expect([...after.manifest.state.purged.keys()]).toEqual(purged)
            const left = verifyArchive(folder, { now: NOW }).problems.filter((problem) => problem.file !== file)
            expect(left, `${one.how} ${file}`).toEqual([])
            expect((await sync()).damage).toEqual([])
            rmSync(folder, { recursive: true })
            copyFolder(saved, folder)
          }
        }),
    ),
    { numRuns: rounds(15) },
  )
}, 600_000)

test('with both manifests gone, the words beside objects give every content back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), (steps) =>
      withArchived({ 'projects/-p/a.jsonl': 'first\n' }, async (made) => {
        const { folder, root, read } = made
        await live(made, steps)
        rmSync(root, { recursive: true })
        const before = contents(read())
        for (const name of ['manifest', 'manifest.before']) rmSync(join(folder, name))
        if (before.size > 0) expect(verifyArchive(folder, { now: NOW }).problems.length).toBeGreaterThan(0)
        await repairArchive(folder, { now: NOW })
        const after = contents(read())
        for (const [key, content] of before) expect(after.get(key), key).toBe(content)
        expect(verifyArchive(folder, { now: NOW }).problems).toEqual([])
      }),
    ),
    { numRuns: rounds(10) },
  )
}, 600_000)
