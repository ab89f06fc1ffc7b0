import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apiReport, namesOf, packagesIn } from './api-report.ts'

const REPORT = 'docs/api.md'
const reported = { annals: 'dist/index.d.mts', 'annals/core': 'dist/core.d.mts', 'annals/disk': 'dist/disk.d.mts' }

describe.skipIf(!existsSync('dist/index.d.mts'))('the public library', () => {
  test('docs/api.md has every public name as it is', () => {
    const report = apiReport(reported)
    if (process.env.UPDATE) writeFileSync(REPORT, report)
    expect(readFileSync(REPORT, 'utf8')).toBe(report)
  })

  test('docs/library.md speaks of every name of `annals`', () => {
    const page = readFileSync('docs/library.md', 'utf8')
    expect(namesOf(reported.annals).filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([])
  })

  test('it has few names, and these values', () => {
    expect(namesOf(reported.annals).length).toBeLessThanOrEqual(26)
    expect(namesOf(reported.annals)).toEqual(
      expect.arrayContaining([
        'openHistory',
        'openFile',
        'createRedactor',
        'sumUsage',
        'priceOf',
        'projectKey',
        'Failure',
      ]),
    )
  })

  test('no table of the index, no library of others is reachable from its types', () => {
    for (const path of Object.values(reported)) expect(packagesIn(path)).toEqual([])
    const types = readFileSync(REPORT, 'utf8')
    expect(types).not.toMatch(/\bDatabase\b|\bStatement\b|\bQuestions\b|typebox/)
  })
})
