import { type Properties, type Static, Type } from '../schema.ts'
import {
  boolean,
  loose,
  mapOf,
  nullable,
  nullableNumber,
  nullableString,
  number,
  optional,
  string,
  strings,
  unknown,
  variants,
} from './shape.ts'
import { task, todo } from './todo.ts'
import { question } from './tool-inputs.ts'
import { usage } from './usage.ts'

/** A result known by its fields alone: the title is the tool it belongs to. */
function of<P extends Properties>(title: string, properties: P) {
  return Type.Object(properties, { title })
}

const hunk = Type.Object({ oldStart: number, oldLines: number, newStart: number, newLines: number, lines: strings })
const structuredPatch = Type.Array(hunk)

const textFile = { filePath: string, content: string, numLines: number, startLine: number, totalLines: number }
const cell = loose(optional({ cellType: string, source: string, cell_id: string, language: string }))
const readText = of('Read', {
  type: Type.Literal('text'),
  file: Type.Object({ ...textFile, ...optional({ truncated: boolean, mtimeMs: number }) }),
})
const readImage = of('Read', {
  type: Type.Literal('image'),
  file: Type.Object({
    base64: string,
    type: string,
    ...optional({ originalSize: number, dimensions: unknown, filePath: string }),
  }),
})
const readNotebook = of('Read', {
  type: Type.Literal('notebook'),
  file: Type.Object({ filePath: string, cells: Type.Array(cell) }),
})
const readOther = Type.Object(
  { type: Type.Enum(['pdf', 'parts', 'file_unchanged']), file: loose(optional({ filePath: string })) },
  { title: 'Read' },
)

/** What the Read tool found; `file` attachments carry the same. */
export const readResult = variants('type', [readText, readImage, readNotebook, readOther])

const agentDone = of('Agent', {
  content: Type.Array(loose({ type: string })),
  totalDurationMs: number,
  totalTokens: number,
  totalToolUseCount: number,
  usage,
  ...optional({
    status: string,
    prompt: string,
    agentId: string,
    agentType: string,
    resolvedModel: string,
    toolStats: unknown,
    wasInterrupted: boolean,
    worktreePath: string,
    worktreeBranch: string,
  }),
})
const agentLaunched = of('Agent', {
  isAsync: boolean,
  status: string,
  agentId: string,
  ...optional({
    description: string,
    prompt: string,
    outputFile: string,
    resolvedModel: string,
    canReadOutputFile: boolean,
    canContinueAgent: boolean,
    agentType: string,
    worktreePath: string,
    worktreeBranch: string,
  }),
})

/** Every result the client is known to write, in the order in which equally good matches are preferred. */
const shapes = [
  of('Bash', {
    stdout: string,
    stderr: string,
    interrupted: boolean,
    ...optional({
      isImage: boolean,
      noOutputExpected: boolean,
      backgroundTaskId: string,
      backgroundedByUser: boolean,
      assistantAutoBackgrounded: boolean,
      persistedOutputPath: string,
      persistedOutputSize: number,
      rawOutputPath: string,
      returnCodeInterpretation: string,
      dangerouslyDisableSandbox: boolean,
      sandbox: boolean,
      summary: string,
      structuredContent: unknown,
      tokenSaverOutput: unknown,
      gitOperation: unknown,
    }),
  }),
  readText,
  readImage,
  readNotebook,
  readOther,
  Type.Object(
    {
      type: Type.Enum(['create', 'update']),
      filePath: string,
      content: string,
      structuredPatch,
      ...optional({ originalFile: nullableString, userModified: boolean, gitDiff: unknown }),
    },
    { title: 'Write' },
  ),
  of('Edit', {
    filePath: string,
    oldString: string,
    newString: string,
    structuredPatch,
    ...optional({
      originalFile: nullableString,
      userModified: boolean,
      replaceAll: boolean,
      staleRecovered: boolean,
      gitDiff: unknown,
    }),
  }),
  of('MultiEdit', {
    filePath: string,
    edits: Type.Array(Type.Object({ old_string: string, new_string: string, ...optional({ replace_all: boolean }) })),
    structuredPatch,
    ...optional({ originalFileContents: string, userModified: boolean }),
  }),
  of('Glob', {
    filenames: strings,
    numFiles: number,
    durationMs: number,
    ...optional({ truncated: boolean, totalMatches: number, countIsComplete: boolean }),
  }),
  of('Grep', {
    mode: string,
    numFiles: number,
    filenames: strings,
    ...optional({
      content: string,
      numLines: number,
      numMatches: number,
      appliedLimit: number,
      appliedOffset: number,
    }),
  }),
  of('TodoWrite', {
    oldTodos: Type.Array(todo),
    newTodos: Type.Array(todo),
    ...optional({ verificationNudgeNeeded: boolean }),
  }),
  agentDone,
  agentLaunched,
  of('TaskCreate', { task }),
  of('TaskUpdate', {
    success: boolean,
    taskId: string,
    updatedFields: strings,
    ...optional({
      statusChange: Type.Object({ from: string, to: string }),
      error: string,
      verificationNudgeNeeded: boolean,
    }),
  }),
  of('TaskList', { tasks: Type.Array(task) }),
  of('TaskOutput', { retrieval_status: string, task: nullable(loose({})) }),
  of('TaskStop', { task_id: string, task_type: string, message: string, ...optional({ command: string }) }),
  of('BashOutput', {
    shellId: string,
    status: string,
    stdout: string,
    stderr: string,
    ...optional({
      command: string,
      exitCode: nullableNumber,
      stdoutLines: number,
      stderrLines: number,
      timestamp: string,
      filterPattern: string,
    }),
  }),
  of('KillShell', { message: string, shell_id: string, ...optional({ success: boolean }) }),
  of('KillShell', { success: boolean, shellId: string }),
  of('ToolSearch', {
    matches: strings,
    query: string,
    total_deferred_tools: number,
    ...optional({ pending_mcp_servers: unknown }),
  }),
  of('NotebookEdit', {
    new_source: string,
    cell_type: string,
    language: string,
    edit_mode: string,
    ...optional({
      old_source: string,
      cell_id: string,
      cell_number: number,
      error: string,
      notebook_path: string,
      original_file: string,
      updated_file: string,
    }),
  }),
  of('Skill', {
    success: boolean,
    commandName: string,
    ...optional({ allowedTools: strings, model: string, status: string, agentId: string, result: unknown }),
  }),
  of('AskUserQuestion', {
    questions: Type.Array(question),
    answers: mapOf(unknown),
    ...optional({ annotations: unknown, response: string }),
  }),
  of('EnterPlanMode', { message: string }),
  of('ExitPlanMode', {
    plan: nullableString,
    isAgent: boolean,
    ...optional({
      filePath: nullableString,
      hasTaskTool: boolean,
      planWasEdited: boolean,
      awaitingLeaderApproval: boolean,
      requestId: string,
    }),
  }),
  of('EnterWorktree', { worktreePath: string, message: string, ...optional({ worktreeBranch: string }) }),
  of('ExitWorktree', {
    action: string,
    originalCwd: string,
    worktreePath: string,
    ...optional({
      message: string,
      worktreeBranch: string,
      originalCwdMissing: boolean,
      restoredCwd: string,
      tmuxSessionName: string,
      discardedFiles: number,
      discardedCommits: number,
    }),
  }),
  of('Monitor', { taskId: string, timeoutMs: number, persistent: boolean }),
  of('Workflow', {
    status: string,
    taskId: string,
    runId: string,
    ...optional({
      taskType: string,
      workflowName: string,
      summary: string,
      transcriptDir: string,
      scriptPath: string,
      warning: string,
    }),
  }),
  of('WebSearch', {
    query: string,
    results: Type.Array(unknown),
    durationSeconds: number,
    ...optional({ searchCount: number }),
  }),
  of('WebFetch', {
    bytes: number,
    code: number,
    codeText: string,
    result: string,
    durationMs: number,
    url: string,
  }),
  of('LSP', {
    operation: string,
    result: string,
    filePath: string,
    ...optional({ resultCount: number, fileCount: number }),
  }),
] as const

/** What a tool gave the client, beside what it told the model: an object per tool, a string for errors, a list from MCP. */
export const toolUseResult = Type.Union([string, Type.Array(unknown), ...shapes, mapOf(unknown)])

/** The structured result of a tool call; nothing in it names the tool. */
export type ToolUseResult = Static<typeof toolUseResult>
