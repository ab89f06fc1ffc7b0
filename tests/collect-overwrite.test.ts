import { renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { archiveFolder, readArchive, readContent } from '../src/archive/archive.ts'
import { withArchive } from '../src/archive/archive-source.ts'
import type { KeptGeneration } from '../src/archive/kept-state.ts'
import { syncArchive } from '../src/archive/sync.ts'
import { isCollectedPath } from '../src/collector/collected-files.ts'
import { ALL, collectorOf, MemoryState } from './collector/made-collector.ts'
import { LOG, line, withRoot } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const OLD = Array.from({ length: 40 }, (_, number) => line(number, `long talk ${number}`)).join('')
/** What a client writes that resumed a session and found nothing in it. */
const BLANK = `{"type":"mode","mode":"normal"}\n${line(100, 'a new beginning')}`

test.each([
  ['in place, shorter', BLANK, false],
  ['in place, longer than before', `${BLANK}${line(101, 'x'.repeat(2 * OLD.length))}`, false],
  ['in place, of the same length', `${BLANK}${line(102, '')}`.padEnd(OLD.length - 1, ' ').concat('\n'), false],
  ['by another file', BLANK, true],
  ['by nothing', '', false],
])(
  'a resume that overwrites a log %s begins a generation; the old one stays in the archive and at the destination (T10)',
  (_, content, isOther) =>
    withRoot({ [LOG]: OLD }, async ({ root, folder, append }) => {
      const archive = archiveFolder(join(folder, 'data'))
      const keep = () => syncArchive(archive, { roots: [root], now: new Date(), progress: () => {} })
      const sink = new MemorySink()
      const state = new MemoryState()
      const collect = async () => {
        const source = withArchive(archive)([root], { include: (path) => isCollectedPath(path, ALL) })
        const collector = collectorOf(source, sink, { state })
        await collector.start()
        const done = await collector.pass()
        source.close()
        return done
      }
      /** What a reader finds of a generation, as a log. */
      const logOf = (generation: number) =>
        [...sink.rows.values()]
          .filter((row) => row.generation === generation)
          .sort((a, b) => a.offset - b.offset)
          .map((row) => `${Buffer.from(row.content).toString('utf8')}\n`)
          .join('')
      const kept = () => {
        const { manifest, ...rest } = readArchive(archive)
        const { generations } = manifest.state.find(root, LOG) as { generations: KeptGeneration[] }
        return generations.map((one) => readContent({ manifest, ...rest }, one).toString('utf8'))
      }
      await keep()
      await collect()
      expect(logOf(1)).toBe(OLD)

      const path = join(root, LOG)
      if (isOther) {
        writeFileSync(`${path}.new`, content)
        renameSync(`${path}.new`, path)
      } else writeFileSync(path, content)
      const later = new Date(Date.now() + 5_000)
      utimesSync(path, later, later)
      await keep()
      await collect()
      append(LOG, line(200, 'and on it goes'))
      await keep()
      expect(await collect()).toMatchObject({ lagBytes: 0 })

      const now = content + line(200, 'and on it goes')
      expect(kept()).toEqual([OLD, now])
      expect(logOf(1), 'the old rows can still be reached').toBe(OLD)
      // Blanks behind a record are part of its line, not of the record.
      expect(logOf(2)).toBe(now.replaceAll(/ +\n/g, ''))
      expect(await collect()).toMatchObject({ batches: 0 })
    }),
)
