import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Database } from '../../src/index/driver.ts'
import { openIndex } from '../../src/index/open.ts'

/** Which of four logs something happens to. */
export const file = fc.nat(3)

/** What happens to a log as a whole. */
export interface Rearrangement {
  readonly do: 'truncate' | 'rewrite' | 'delete' | 'rename' | 'copy'
  readonly file: number
  readonly to: number
}

export const rearrangement: fc.Arbitrary<Rearrangement> = fc.record({
  do: fc.constantFrom('truncate', 'rewrite', 'delete', 'rename', 'copy' as const),
  file,
  to: file,
})

export function sessionOf(number: number): string {
  return `0000000${number}-0000-4000-8000-000000000000`
}

export function pathOf(root: string, number: number): string {
  return join(root, `projects/-p/${sessionOf(number)}.jsonl`)
}

/** Does it, where there is such a log; a rewritten one has this row alone. */
export function rearrange(root: string, { do: how, file: from, to: number }: Rearrangement, row: string): void {
  const [path, to] = [pathOf(root, from), pathOf(root, number)]
  if (!existsSync(path)) return
  if (how === 'truncate') truncateSync(path, 10)
  else if (how === 'rewrite') writeFileSync(path, row)
  else if (how === 'delete') rmSync(path)
  else if (existsSync(to)) return
  else if (how === 'rename') renameSync(path, to)
  else copyFileSync(path, to)
}

/** An index under test: what a step does to it or to the logs, how it is brought up to date, and what it then knows. */
export interface IndexModel<Step> {
  readonly act: (step: Step, number: number, root: string, database: Database) => void
  readonly ingest: (database: Database, root: string) => void
  readonly dump: (database: Database) => unknown
}

/** Holds that an index which lived through some steps knows what one made from nothing does. It is closed and opened by `restart`. */
export function expectAsFromNothing<Step extends { readonly do: string }>(
  steps: readonly Step[],
  { act, ingest, dump }: IndexModel<Step>,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'annals-index-model-'))
  try {
    const root = join(folder, 'root')
    mkdirSync(join(root, 'projects/-p'), { recursive: true })
    const open = () => openIndex(join(folder, 'state'), [root]).database
    let database = open()
    for (const [number, step] of steps.entries()) {
      if (step.do !== 'restart') act(step, number, root, database)
      else {
        database.close()
        database = open()
      }
    }
    ingest(database, root)
    const fed = dump(database)
    ingest(database, root)
    expect(dump(database)).toEqual(fed)
    database.close()
    const fresh = openIndex(undefined, [root]).database
    ingest(fresh, root)
    expect(fed).toEqual(dump(fresh))
    fresh.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
