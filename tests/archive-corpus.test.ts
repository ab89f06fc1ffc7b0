import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amountOf, filesOf, readArchive, sessionsOf } from '../src/archive/archive.ts'
import { isKeptFile } from '../src/archive/kept-files.ts'
import { restoreFiles } from '../src/archive/restore.ts'
import { syncArchive } from '../src/archive/sync.ts'
import { verifyArchive } from '../src/archive/verify.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

const CLIENT = /^\d+\.\d+\.\d+$/
const folder = corpus('2.1.325')
const published = corpus('entireio__cli')
const scenarios = folder
  ? readdirSync(folder).flatMap((version) =>
      CLIENT.test(version) ? readdirSync(join(folder, version)).map((name) => join(folder, version, name)) : [],
    )
  : []
const now = new Date()

/** The files of a root that an archive takes, walked without any code of ours. */
function files(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(root, path)).isFile())
}

async function inArchive(use: (archive: string, to: string) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'annals-corpus-'))
  try {
    await use(join(home, 'archive'), join(home, 'restored'))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

describe.skipIf(!folder)(`what clients wrote${folder ? '' : WITHOUT_CORPUS}`, () => {
  test('every family of every scenario comes back byte for byte', async () => {
    let families = 0
    for (const root of scenarios) {
      await inArchive(async (archive, to) => {
        await syncArchive(archive, { roots: [root], now })
        const kept = readArchive(archive)
        for (const { id } of sessionsOf(kept)) {
          const { written, problems } = restoreFiles(kept, filesOf(kept, id), { to, now })
          expect(problems, root).toEqual([])
          expect(written.length, root).toBeGreaterThan(0)
          families += 1
        }
        const shared = [...kept.manifest.state.files.values()].filter(({ owner }) => owner === null)
        restoreFiles(kept, shared, { to, now })
        const expected = files(root).filter(isKeptFile).sort()
        expect(files(to).toSorted(), root).toEqual(expected)
        for (const path of expected) {
          expect(readFileSync(join(to, path)).equals(readFileSync(join(root, path))), join(root, path)).toBe(true)
        }
      })
    }
    expect(families).toBeGreaterThan(100)
  }, 1_200_000)
})

describe.skipIf(!published)(`published logs${published ? '' : WITHOUT_CORPUS}`, () => {
  test('take at most 21 % of their size, and are sound', async () => {
    await inArchive(async (archive) => {
      const root = join(published as string, 'entireio__cli')
      await syncArchive(archive, { roots: [root], now })
      const { bytesRaw, bytesStored } = amountOf(readArchive(archive).manifest.state.files.values())
      const whole = bytesStored + statSync(join(archive, 'manifest')).size
      expect(whole / bytesRaw).toBeLessThan(0.21)
      expect(verifyArchive(archive, { now })).toMatchObject({ problems: [], idle: 0 })
    })
  }, 1_200_000)
})
