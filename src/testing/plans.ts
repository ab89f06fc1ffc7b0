import type { PlanOptions, TodoItem } from './steps.ts'
import { addFile, type Session, type Thread } from './thread.ts'
import type { PreparedCall } from './tools.ts'

/** A to-do list written with TodoWrite, and the file in which the client keeps it. */
export function prepareTodo(thread: Thread, items: readonly TodoItem[]): PreparedCall {
  const { session } = thread
  const newTodos = items.map((item) => ({ ...item }))
  return {
    id: session.ids.toolUseId(),
    name: 'TodoWrite',
    input: { todos: newTodos },
    settle: () => {
      const oldTodos = thread.todos.map((item) => ({ ...item }))
      thread.todos = items
      addFile(session, todoPath(session, thread.agent?.id), JSON.stringify(newTodos, null, 2), thread.now)
      return {
        content: 'Todos have been modified successfully. Ensure that you continue to use the todo list.',
        toolUseResult: { oldTodos, newTodos },
      }
    },
  }
}

/** Where a session's or an agent's to-do list is kept. */
export function todoPath(session: Session, agentId: string | undefined): string {
  if (session.generation.todoFile === 'session') return `todos/${session.fileId}.json`
  return `todos/${session.fileId}-agent-${agentId ?? session.fileId}.json`
}

/** A plan shown with ExitPlanMode; from 2.0.77 on it is a file too, and its name is on every later row. */
export function preparePlan(thread: Thread, markdown: string, options: PlanOptions): PreparedCall {
  const { session } = thread
  const { generation } = session
  const slug = options.slug ?? session.slug ?? session.ids.slug()
  const path = `plans/${slug}.md`
  const filePath = `${session.configDir}/${path}`
  return {
    id: session.ids.toolUseId(),
    name: 'ExitPlanMode',
    input: { plan: markdown, ...(generation.attachments === 'all' && { planFilePath: filePath }) },
    settle: () => {
      if (generation.slug) {
        session.slug = slug
        addFile(session, path, markdown, thread.now)
      }
      if (options.approved === false) {
        const content = "The user doesn't want to proceed with this tool use. The tool use was rejected."
        return { content, isError: true, toolUseResult: 'User rejected tool use' }
      }
      const saved = generation.slug ? `\n\nYour plan has been saved to: ${filePath}` : ''
      return {
        content: `User has approved your plan. You can now start coding.${saved}\n\n## Approved Plan:\n${markdown}`,
        toolUseResult: { plan: markdown, isAgent: false, ...(generation.slug && { filePath }) },
      }
    },
  }
}
