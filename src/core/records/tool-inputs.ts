import { type Static, Type } from '../schema.ts'
import { boolean, loose, number, optional, string, strings, unknown } from './shape.ts'
import { todo } from './todo.ts'

// The model writes these, so a field it must give can still be absent, and one it invents can be there.

const agent = Type.Object({
  description: string,
  ...optional({
    prompt: string,
    subagent_type: string,
    model: string,
    effort: string,
    run_in_background: boolean,
    resume: string,
    max_turns: number,
    mode: string,
    isolation: string,
    name: string,
    team_name: string,
    cwd: string,
  }),
})

/** One question that the model asks the user. */
export const question = Type.Object({
  question: string,
  ...optional({
    header: string,
    multiSelect: boolean,
    options: Type.Array(
      Type.Object({ label: string, ...optional({ description: string, preview: string, markdown: string }) }),
    ),
  }),
})

const shell = Type.Object({
  command: string,
  ...optional({
    description: string,
    timeout: number,
    run_in_background: boolean,
    dangerouslyDisableSandbox: boolean,
    sandbox: boolean,
    shellExecutable: string,
  }),
})

const plan = Type.Object(
  optional({
    plan: string,
    planFilePath: string,
    allowedPrompts: Type.Array(Type.Object({ tool: string, prompt: string })),
    launchSwarm: boolean,
    teammateCount: number,
    pushToRemote: boolean,
    remoteSessionId: string,
    remoteSessionUrl: string,
    remoteSessionTitle: string,
  }),
)

const edit = { old_string: string, new_string: string, ...optional({ replace_all: boolean }) }

/** The inputs of the tools that the client brings itself, by tool name. MCP and unknown tools are free in theirs. */
export const toolInputs = {
  Agent: agent,
  AskUserQuestion: Type.Object({
    questions: Type.Array(question),
    ...optional({ answers: unknown, annotations: unknown, metadata: unknown }),
  }),
  Bash: shell,
  BashOutput: Type.Object({
    bash_id: string,
    ...optional({ block: boolean, filter: string, wait_up_to: number }),
  }),
  Edit: Type.Object({ file_path: string, ...edit }),
  EnterPlanMode: Type.Object({}),
  EnterWorktree: Type.Object(optional({ name: string, path: string })),
  ExitPlanMode: plan,
  ExitWorktree: Type.Object(optional({ action: string, discard_changes: boolean })),
  Glob: Type.Object({ pattern: string, ...optional({ path: string }) }),
  Grep: Type.Object({
    pattern: string,
    ...optional({
      path: string,
      file_path: string,
      glob: string,
      type: string,
      output_mode: string,
      '-A': number,
      '-B': number,
      '-C': number,
      '-i': boolean,
      '-n': boolean,
      '-o': boolean,
      context: number,
      head_limit: number,
      offset: number,
      multiline: boolean,
      include: string,
    }),
  }),
  KillBash: Type.Object({ shell_id: string }),
  KillShell: Type.Object({ shell_id: string }),
  LS: Type.Object({ path: string, ...optional({ ignore: strings }) }),
  LSP: Type.Object({
    operation: string,
    ...optional({ filePath: string, line: number, character: number, query: string }),
  }),
  ListMcpResourcesTool: Type.Object(optional({ server: string })),
  MCPSearch: Type.Object({ query: string, ...optional({ max_results: Type.Union([number, string]) }) }),
  Monitor: Type.Object({
    command: string,
    ...optional({ description: string, timeout_ms: number, persistent: boolean }),
  }),
  MultiEdit: Type.Object({ file_path: string, edits: Type.Array(Type.Object(edit)) }),
  NotebookEdit: Type.Object({
    notebook_path: string,
    ...optional({
      new_source: string,
      cell_id: string,
      cell_number: number,
      cell_type: string,
      edit_mode: string,
    }),
  }),
  NotebookRead: Type.Object({ notebook_path: string, ...optional({ cell_id: string }) }),
  Read: Type.Object({
    file_path: string,
    ...optional({ offset: number, limit: number, pages: string }),
  }),
  ReadMcpResourceTool: Type.Object({ server: string, uri: string }),
  Skill: Type.Object(optional({ skill: string, command: string, args: string })),
  SlashCommand: Type.Object({ command: string }),
  Task: agent,
  TaskCreate: Type.Object({
    subject: string,
    ...optional({ description: string, activeForm: string, metadata: unknown }),
  }),
  TaskGet: Type.Object({ taskId: string }),
  TaskList: Type.Object({}),
  TaskOutput: Type.Object({ task_id: string, ...optional({ block: boolean, timeout: number }) }),
  TaskStop: Type.Object(optional({ task_id: string, shell_id: string })),
  TaskUpdate: Type.Object({
    taskId: string,
    ...optional({
      status: string,
      subject: string,
      description: string,
      activeForm: string,
      owner: string,
      addBlocks: strings,
      addBlockedBy: strings,
      metadata: unknown,
    }),
  }),
  TodoRead: loose({}),
  TodoWrite: Type.Object({ todos: Type.Array(todo) }),
  ToolSearch: Type.Object({ query: string, ...optional({ max_results: number }) }),
  WebFetch: Type.Object({ url: string, ...optional({ prompt: string }) }),
  WebSearch: Type.Object({
    query: string,
    ...optional({ allowed_domains: strings, blocked_domains: strings }),
  }),
  Workflow: loose(optional({ script: string, scriptPath: string, name: string, args: unknown, description: string })),
  Write: Type.Object({ file_path: string, content: string }),
}

/** What each known tool is given. */
export type ToolInputs = { readonly [Name in keyof typeof toolInputs]: Static<(typeof toolInputs)[Name]> }
