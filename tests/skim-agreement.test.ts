import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Skimmer } from '../src/core/skim/skimmer.ts'
import { writeDemoRoot } from '../src/testing/demo-root.ts'
import { generateRoot } from '../src/testing/generate-root.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'
import { type Compared, compareFile, nothingCompared } from './skim-agreement.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-skim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function compareAll(dir: string, capacity?: number): Compared {
  const skimmer = new Skimmer(capacity)
  const counts = nothingCompared()
  for (const path of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.jsonl')) compareFile(skimmer, join(dir, path), counts)
  }
  const share = ((100 * counts.leftBytes) / counts.bytes).toFixed(2)
  console.log(
    `${counts.lines} lines, ${counts.left} (${share} % of the bytes) left to the parser; ${counts.leftTexts} of ${counts.texts} texts`,
  )
  return counts
}

test('skim and parser say the same of every line of the demo root', () => {
  writeDemoRoot(join(folder, 'demo'), new Date('2026-11-15T12:00:00.000Z'))
  const { lines, left } = compareAll(join(folder, 'demo'))
  expect(lines).toBeGreaterThan(100)
  expect(left).toBeLessThan(lines / 2)
})

test('skim and parser say the same of every line of a generated root, through a buffer smaller than its lines', () => {
  generateRoot(join(folder, 'generated'), { bytes: 8 << 20 })
  const { lines, leftBytes, bytes } = compareAll(join(folder, 'generated', 'projects'), 4096)
  expect(lines).toBeGreaterThan(1_000)
  expect(leftBytes / bytes).toBeLessThan(0.1)
})

const real = corpus('2.1.325')
test.skipIf(!real)(
  `skim and parser say the same of every line of real logs${real ? '' : WITHOUT_CORPUS}`,
  { timeout: 0 },
  () => {
    const { lines } = compareAll(real as string)
    expect(lines).toBeGreaterThan(10_000)
  },
)
