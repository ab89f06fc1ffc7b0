import { plural } from '../ui/words.ts'
import type { Branch } from './types.ts'
import { visible } from './visible.ts'

interface Props {
  readonly branches: readonly Branch[] | undefined
  readonly onBranch: (leaf: string | undefined) => void
}

/** Stands where a conversation was taken back and went on differently, and leads to its other ways. */
export function ForkNote({ branches, onBranch }: Props) {
  if (!branches || branches.length === 0) return null
  return (
    <nav
      aria-label="Branches that part here"
      className="my-3 rounded-md border border-dashed border-warn px-3 py-1.5 text-sm"
    >
      <p className="text-warn">↶ The conversation was taken back here. It also went:</p>
      <ul>
        {branches.map((branch) => (
          <li key={branch.leaf}>
            <button
              type="button"
              onClick={() => onBranch(branch.active ? undefined : branch.leaf)}
              className="flex w-full min-w-0 items-baseline gap-2 rounded py-0.5 text-left hover:bg-sunk"
            >
              <span className="min-w-0 truncate text-accent underline">{branchTitle(branch)}</span>
              <span className="shrink-0 text-xs text-muted">
                {plural(branch.prompts, 'prompt')} · {branch.active ? 'the active branch' : 'abandoned'}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** What a branch is called: the first thing asked on it. */
export function branchTitle({ title, leaf }: Branch): string {
  const line = visible(title ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return line === '' ? leaf.slice(0, 8) : line
}
