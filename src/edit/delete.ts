import { statSync } from 'node:fs'
import { withoutPrompts } from './history-lines.ts'
import type { Plan } from './plan.ts'
import { mustSee } from './seen.ts'
import { type SessionFamily, sessionFiles } from './session-files.ts'
import type { Step } from './step.ts'

/** Deletes all that Claude Code has of sessions. What annals keeps of them stays, and brings them back. */
export function planDelete(sessions: readonly SessionFamily[]): Plan {
  const walked = sessions.map(sessionFiles)
  const roots = [...new Set(sessions.map(({ root }) => root))]
  const prompts = roots.map((root) =>
    withoutPrompts(root, new Set(sessions.filter((one) => one.root === root).map(({ id }) => id))),
  )
  const files = walked.flatMap(({ files: paths }) => paths)
  const folders = walked.flatMap(({ folders: paths }) => paths)
  const steps: Step[] = [
    ...prompts.flatMap((one) => one.steps),
    ...files.map((path): Step => ({ action: 'remove', path, before: mustSee(path) })),
    ...folders.map((path): Step => ({ action: 'remove-folder', path, mode: statSync(path).mode & 0o7777 })),
  ]
  const [only] = sessions
  const what = sessions.length === 1 ? `session ${only?.id}` : `${sessions.length} sessions`
  return {
    name: 'delete',
    summary: `delete ${what}`,
    sessions,
    steps,
    expect: ['Claude Code no longer shows it: not in the picker, not with `--resume`, not in its prompt history.'],
    left: [
      ...prompts.flatMap((one) => one.left),
      'What the archive keeps of it stays, and so does a copy for `annals undo`: `annals purge` deletes those too.',
      'Memory, copies of its rows in other sessions (forks), and exports stay.',
    ],
  }
}
