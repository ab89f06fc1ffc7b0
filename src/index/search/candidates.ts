import { copyKeyIn } from '../copy-key.ts'
import type { Database } from '../driver.ts'
import { DOCS_OF_A_LOG } from '../schema.ts'
import type { Doc } from '../text-batch.ts'

/** A record that was found in a log itself, which the index need not know. */
export interface Candidate {
  readonly log: number
  readonly doc: Doc
  /** Where a pattern matches in its text, in bytes; not told where nobody knows. */
  readonly matches?: readonly number[]
}

/** Puts candidates beside the docs of the index for one question, so that the same filters decide about both. */
export function withCandidates<T>(database: Database, candidates: readonly Candidate[], ask: () => T): T {
  database.exec(TABLES)
  if (candidates.length === 0) return ask()
  const names = candidateNames(database)
  const put = database.prepare('insert into candidate values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  database.exec('savepoint candidates')
  try {
    candidates.forEach(({ log, doc }, i) => {
      const { line, offset, length, time, isError } = doc
      const [role, kind, tool] = [names(doc.role), names(doc.kind), names(doc.tool)]
      const [model, branch, target] = [names(doc.model), names(doc.branch), names(doc.target)]
      const [id, copy] = [log * DOCS_OF_A_LOG + i, copyKeyIn(log, doc.copy)]
      put.run(id, line, offset, length, time, role, kind, tool, model, branch, target, Number(isError), copy)
    })
    return ask()
  } finally {
    database.exec('rollback to candidates; release candidates')
  }
}

/** The columns of `candidate` are those of `doc`. Names that the index does not have are numbered below zero. */
const TABLES = `
create temp table if not exists candidate (
  id integer primary key, line int, offset int, length int, time int, role int, kind int, tool int, model int, branch int, target int,
  error int, copy int
);
create temp table if not exists candidate_name (id integer primary key, text text);
create temp view if not exists any_name as select id, text from name union all select id, text from candidate_name;
`

function candidateNames(database: Database): (text: string | null) => number | null {
  const ids = new Map<string, number>()
  const find = database.prepare('select id from name where text = ?')
  const put = database.prepare('insert into candidate_name values (?, ?)')
  return (text) => {
    if (text === null || text === '') return null
    const known = ids.get(text) ?? (find.get(text)?.id as number | undefined)
    const id = known ?? -1 - ids.size
    if (known === undefined) put.run(id, text)
    ids.set(text, id)
    return id
  }
}
