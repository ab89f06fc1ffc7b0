import { type Static, Type } from '../schema.ts'
import { envelope } from './envelope.ts'
import { loose, number, optional, string, typed, unknown, variants } from './shape.ts'

/** A copy of a row of the agent's own file: checked there, not here. */
const copiedRow = loose({ type: string, ...optional({ uuid: string, timestamp: string, message: unknown }) })

const shellProgress = {
  output: string,
  fullOutput: string,
  elapsedTimeSeconds: number,
  totalLines: number,
  ...optional({ timeoutMs: number, taskId: string, totalBytes: number }),
}

const progressData = variants('type', [
  typed('bash_progress', shellProgress),
  typed('powershell_progress', shellProgress),
  typed('agent_progress', {
    message: copiedRow,
    ...optional({ normalizedMessages: Type.Array(copiedRow), prompt: string, agentId: string, resume: string }),
  }),
  typed('hook_progress', {
    hookEvent: string,
    hookName: string,
    ...optional({ command: string, promptText: string, statusMessage: string }),
  }),
  typed('mcp_progress', {
    status: string,
    serverName: string,
    toolName: string,
    ...optional({ elapsedTimeMs: number, progress: number, total: number, progressMessage: string }),
  }),
  typed('query_update', { query: string }),
  typed('search_results_received', { query: string, resultCount: number }),
  typed('waiting_for_task', { taskDescription: string, taskType: string }),
  loose({ type: Type.Enum(['skill_progress', 'tool_progress']) }),
])

/** A row of type `progress` (2.1.4 to 2.1.68): how a tool, hook or agent was getting on. */
export const progress = Type.Object({
  type: Type.Literal('progress'),
  ...envelope,
  data: progressData,
  ...optional({ toolUseID: string, parentToolUseID: string }),
})

/** A progress row as it stands in a log. */
export type ProgressRow = Static<typeof progress>
