import type { Branch, Outline } from './types.ts'

/** Where other branches part from the one that is read: above which row, and which they are. */
export type Forks = ReadonlyMap<number, readonly Branch[]>

/** The places at which a conversation went another way, and all its other ways. */
export function forksOf({
  branch,
  branches,
  turns,
  total,
}: Pick<Outline, 'branch' | 'branches' | 'turns' | 'total'>): Forks {
  const forks = new Map<number, Branch[]>()
  const own = branches.find(({ leaf }) => leaf === branch)
  for (const other of branches) {
    if (other === own) continue
    // A branch that parted from nothing is the one that others parted from, as ours did.
    const parted = other.from === null ? own : other
    const row = rowAfter(turns, parted?.after ?? null, total)
    forks.set(row, [...(forks.get(row) ?? []), other])
  }
  return forks
}

/** The row from which on an abandoned branch is alone; `undefined` where the branch was not abandoned. */
export function abandonedFrom(outline: Pick<Outline, 'branch' | 'branches' | 'turns' | 'total'>): number | undefined {
  const { branch, branches, turns, total } = outline
  const own = branches.find(({ leaf }) => leaf === branch)
  if (!own || own.active) return undefined
  if (own.from !== null) return rowAfter(turns, own.after, total)
  const others = branches.filter(({ from }) => from !== null)
  return Math.min(...others.map(({ after }) => rowAfter(turns, after, total)), total)
}

function rowAfter(turns: Outline['turns'], after: number | null, total: number): number {
  if (after === null) return 0
  return turns.find(({ number }) => number > after)?.row ?? total
}
