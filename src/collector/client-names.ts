/**
 * Names that the client itself gives to tools and kinds of agents. Any other was made by a person or a company, and can say
 * what they work on; it leaves only where that was chosen.
 */
export interface ClientNames {
  tool(name: string): string
  agentType(name: string): string
}

/** What stands for a name that may not leave. Who reads it still sees that it was a tool of a server. */
const MCP = 'mcp__any__any'
const TOOL = 'other'
const AGENT = 'custom'

/** How names leave: those of the client as they are, others where they may. */
export function clientNames(may: { readonly toolNames: boolean; readonly agentTypes: boolean }): ClientNames {
  return {
    tool(name) {
      if (may.toolNames || TOOLS.has(name) || name === TOOL) return name
      return name.startsWith('mcp__') ? MCP : TOOL
    },
    agentType: (name) => (may.agentTypes || AGENTS.has(name) ? name : AGENT),
  }
}

const AGENTS = new Set([
  ...['general-purpose', 'Explore', 'Plan', 'claude-code-guide', 'statusline-setup', 'output-style-setup'],
  ...['workflow-subagent', 'fork', 'worker', 'verification', 'session-memory', 'compact'],
])

const TOOLS = new Set([
  ...['Agent', 'AskUserQuestion', 'Bash', 'BashOutput', 'Edit', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode'],
  ...['ExitWorktree', 'Glob', 'Grep', 'KillBash', 'KillShell', 'ListMcpResourcesTool', 'LS', 'LSP', 'Monitor'],
  ...['MultiEdit', 'NotebookEdit', 'NotebookRead', 'PowerShell', 'Read', 'ReadMcpResourceTool', 'SendMessage'],
  ...['SendUserMessage', 'Skill', 'SlashCommand', 'StructuredOutput', 'Task', 'TaskCreate', 'TaskGet', 'TaskList'],
  ...['TaskOutput', 'TaskStop', 'TaskUpdate', 'TeamCreate', 'TeamDelete', 'TodoRead', 'TodoWrite', 'ToolSearch'],
  ...['WebFetch', 'WebSearch', 'Workflow', 'Write', 'exit_plan_mode', 'web_fetch', 'web_search', 'code_execution'],
  ...['bash_code_execution', 'text_editor_code_execution', 'tool_search_tool_regex', 'tool_search_tool_bm25'],
  ...['AgentOutputTool', 'CronCreate', 'CronDelete', 'CronList', 'RemoteTrigger', 'REPL', 'Sleep', 'Config', 'Brief'],
])
