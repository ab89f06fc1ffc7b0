import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Library } from '../src/disk/library.ts'
import { historyOf } from '../src/history/history.ts'
import { type LedgerLine, ledgerLines } from '../src/history/usage/ledger.ts'
import { sumCosts } from '../src/history/usage/spending.ts'
import { readUsage } from '../src/history/usage/usage.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

const CLIENT = '2.1.325'
const folder = corpus(CLIENT)

/** What the client paid for and no row shows, or the other way round: scenarios whose ledger is not that of the rows. */
const EXCEPTIONS: Readonly<Record<string, (line: LedgerLine) => boolean>> = {
  autocompact: isCompaction,
  compact: isCompaction,
  tui: (line) => isCompaction(line) || isInterruption(line),
  tui3: isCompaction,
}

function isCompaction({ differenceUsd, reasons, session }: LedgerLine): boolean {
  return session.compactions > 0 && differenceUsd > 0 && reasons.some((reason) => reason.includes('compaction'))
}

function isInterruption({ differenceUsd, reasons, session }: LedgerLine): boolean {
  return session.interrupts > 0 && differenceUsd < 0 && reasons.some((reason) => reason.includes('interrupted'))
}

async function linesOf(scenario: string) {
  const library = new Library({ roots: [join(folder as string, CLIENT, scenario)] })
  const history = historyOf({ library, warn: () => {} })
  const usage = await readUsage(history)
  const lines = await ledgerLines(history, usage)
  library.close()
  return { all: usage.calls, lines }
}

describe.skipIf(!folder)(`the client's ledger${folder ? '' : WITHOUT_CORPUS}`, () => {
  const scenarios = folder ? readdirSync(join(folder, CLIENT)) : []

  test.each(scenarios.filter((scenario) => !Object.hasOwn(EXCEPTIONS, scenario)))(
    '%s: every session costs what its ledger says',
    async (scenario) => {
      const { all, lines } = await linesOf(scenario)
      expect(lines.length).toBeGreaterThan(0)
      for (const { ledgerUsd, loggedUsd } of lines) expect(Math.abs(ledgerUsd - loggedUsd)).toBeLessThan(1e-6)
      // Where no session was copied from another, the ledgers together are the total.
      const isApart = new Set(lines.map((line) => line.lineage)).size === lines.length
      const together = lines.reduce((sum, line) => sum + line.ledgerUsd, 0)
      if (isApart) expect(Math.abs(together - (sumCosts(all) ?? 0))).toBeLessThan(1e-6)
    },
  )

  test.each(Object.entries(EXCEPTIONS))('%s: what differs has its reason', async (scenario, isKnown) => {
    const { lines } = await linesOf(scenario)
    const differing = lines.filter((line) => Math.abs(line.differenceUsd) > 1e-6)
    expect(differing.length).toBeGreaterThan(0)
    expect(differing.filter((line) => !isKnown(line))).toEqual([])
  })
})
