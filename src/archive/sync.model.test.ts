import { appendFileSync, readFileSync, rmSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withArchived } from '../../tests/support/made-archive.ts'
import { readContent } from './archive.ts'
import { verifyArchive } from './verify.ts'

const PATHS = [
  'projects/-p/a.jsonl',
  'projects/-p/b.jsonl',
  'projects/-p/a/tool-results/t.txt',
  'tasks/a/1.json',
] as const
const path = fc.constantFrom(...PATHS)
const size = fc.oneof(fc.nat(50), fc.nat(200_000))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), path, size }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rewrite' as const), path, size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truncate' as const), path, size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch' as const), path }) },
  { weight: 5, arbitrary: fc.constant({ do: 'sync' as const }) },
)

test('whatever happens to files between syncs, every content that a sync saw can be had back byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) =>
      withArchived({}, async ({ write, sync, root, read, folder }) => {
        const now = new Map<string, string>()
        const seen = new Map<string, string[]>()
        let count = 0
        let clock = 1_700_000_000
        /** Bytes that no other step makes. */
        const fresh = (length: number) => `<${count++}>`.repeat(length).slice(0, length)
        const tick = (at: string) => {
          clock += 10
          utimesSync(join(root, at), clock, clock)
        }
        for (const one of [...steps, { do: 'sync' as const }]) {
          if (one.do === 'sync') {
            await sync()
            for (const [at, content] of now) {
              const list = seen.get(at) ?? []
              if (list.at(-1) !== content) list.push(content)
              seen.set(at, list)
            }
            continue
          }
          const before = now.get(one.path)
          if (one.do === 'append' && before !== undefined) {
            const more = fresh(one.size)
            appendFileSync(join(root, one.path), more)
            now.set(one.path, before + more)
          } else if (one.do === 'append' || one.do === 'rewrite') {
            const content = fresh(one.size)
            write(one.path, content)
            now.set(one.path, content)
          } else if (before === undefined) continue
          else if (one.do === 'delete') {
            rmSync(join(root, one.path))
            now.delete(one.path)
            continue
          } else if (one.do === 'truncate') {
            const length = Math.min(one.size, before.length)
            truncateSync(join(root, one.path), length)
            now.set(one.path, before.slice(0, length))
          }
          tick(one.path)
        }
        const archive = read()
        for (const [at, contents] of seen) {
          const file = archive.manifest.state.find(root, at)
          const kept = file?.generations.map((generation) => String(readContent(archive, generation))) ?? []
          // Growth goes on in the same generation, so each content is one of them or the beginning of one.
          for (const content of contents) {
            expect(
              kept.some((one) => one.startsWith(content)),
              at,
            ).toBe(true)
          }
          expect(kept.at(-1), at).toBe(contents.at(-1))
        }
        expect(verifyArchive(folder, { now: new Date(0) })).toMatchObject({ problems: [], idle: 0 })
        for (const [at, content] of now) expect(readFileSync(join(root, at), 'latin1')).toBe(content)
      }),
    ),
    { numRuns: 60 },
  )
})
