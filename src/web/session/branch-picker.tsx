import { branchTitle } from './fork-note.tsx'
import type { Outline } from './types.ts'

/** Chooses which way of a conversation is read. */
export function BranchPicker({
  outline,
  onBranch,
}: {
  outline: Outline
  onBranch: (leaf: string | undefined) => void
}) {
  return (
    <label className="flex min-w-0 items-center gap-1 text-sm text-muted">
      <span className="max-sm:sr-only">Branch</span>
      <select
        value={outline.branch ?? ''}
        onChange={({ target: { value } }) => {
          const chosen = outline.branches.find(({ leaf }) => leaf === value)
          onBranch(chosen?.active ? undefined : value)
        }}
        className="h-7 max-w-32 min-w-0 rounded border border-line bg-surface pr-6 pl-1 text-ink sm:max-w-56"
      >
        {outline.branches.map((branch) => (
          <option key={branch.leaf} value={branch.leaf}>
            {branch.active ? 'active' : 'abandoned'}: {branchTitle(branch).slice(0, 60)}
          </option>
        ))}
      </select>
    </label>
  )
}
