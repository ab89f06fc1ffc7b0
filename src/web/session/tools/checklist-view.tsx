import type { MeantTask } from '../../../core/tools/tool-meaning.ts'
import { LONGEST_LINE } from '../long-lines.tsx'
import { readable } from '../visible.ts'

/** What there is to do, and what is done. */
export function ChecklistView({ tasks }: { tasks: readonly MeantTask[] }) {
  return (
    <ul className="space-y-1 px-3 py-2">
      {tasks.map((task, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tasks of one call never move
        <li key={at} className="flex gap-2">
          <span role="img" aria-label={task.status.replaceAll('_', ' ')} className={markOf(task.status).look}>
            {markOf(task.status).sign}
          </span>
          <span className={task.status === 'completed' ? 'text-muted line-through' : ''}>
            {readable(taskName(task), LONGEST_LINE)}
            {task.description !== null && (
              <span className="block whitespace-pre-wrap text-sm text-muted">{readable(task.description)}</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A task by its number and name; of a change that names nothing, what became of it. */
function taskName({ id, subject, status }: MeantTask): string {
  return id === null ? subject : `#${id} ${subject || status.replaceAll('_', ' ')}`
}

function markOf(status: string): { readonly sign: string; readonly look: string } {
  if (status === 'completed') return { sign: '☑', look: 'text-added' }
  if (status === 'in_progress') return { sign: '◐', look: 'text-accent' }
  if (status === 'deleted') return { sign: '☒', look: 'text-muted' }
  return { sign: '☐', look: 'text-muted' }
}
