import type { JsonObject } from '../core/json.ts'
import { TINY_PNG } from './picture.ts'
import type {
  AnswerOptions,
  ApiErrorKind,
  ApiErrorOptions,
  Call,
  CommandOptions,
  CompactOptions,
  FileChange,
  InterruptOptions,
  NotificationOptions,
  PlanOptions,
  PromptOptions,
  RawPlace,
  RecordedAgent,
  Step,
  TodoItem,
  ToolOptions,
  ToolSpec,
} from './steps.ts'

/** A subagent: its prompt, what it did, and its report. */
export interface SubagentSpec {
  readonly type?: string
  readonly description: string
  readonly prompt: string
  /** What it did between its prompt and its report. */
  readonly steps?: (agent: Steps) => unknown
  /** Its last words, which are also the result of the call. */
  readonly result?: string
  /** It failed: the call's result is this error. */
  readonly error?: string
  /** Started and not waited for; `notification` tells of its end. */
  readonly background?: boolean
  readonly model?: string
}

/** A run of the Workflow tool (2.1.325). */
export interface WorkflowSpec {
  readonly name: string
  readonly description?: string
  readonly agents: readonly (Omit<SubagentSpec, 'description' | 'background'> & {
    readonly label: string
    readonly phase?: string
  })[]
  readonly result?: string
}

/** One call of `parallel`: any tool, or a subagent. */
export type ParallelCall = ToolSpec | { readonly subagent: SubagentSpec }

/** Records what happened, step by step. Every method gives the recorder back; nothing is written until the end. */
export class Steps {
  readonly recorded: Step[] = []

  /** A prompt. */
  user(text: string, options: PromptOptions = {}): this {
    return this.record({ do: 'user', text, options })
  }

  /** A prompt with a picture pasted into it. */
  image(text = 'What do you see here?', data = TINY_PNG): this {
    return this.user(text, { images: [data] })
  }

  /** An answer: text, or content blocks. Tool calls that follow belong to the same response. */
  assistant(answer: string | readonly JsonObject[], options: AnswerOptions = {}): this {
    const blocks = typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer
    return this.record({ do: 'assistant', blocks, options })
  }

  /** A tool call and its result. */
  tool(name: string, input: JsonObject = {}, options: ToolOptions = {}): this {
    return this.calls([{ call: 'tool', spec: { ...options, name, input } }])
  }

  /** Several calls in one response. */
  parallel(calls: readonly ParallelCall[]): this {
    return this.calls(
      calls.map((call) =>
        'subagent' in call ? { call: 'agent', spec: recordAgent(call.subagent) } : { call: 'tool', spec: call },
      ),
    )
  }

  /** A call of Read. */
  readFile(path: string, content: string): this {
    return this.calls([{ call: 'read', path, content }])
  }

  /** A call of Read for a picture. */
  readImage(path: string): this {
    return this.calls([{ call: 'read-image', path }])
  }

  /** A call of Edit, told by the whole file before and after, with its checkpoint. */
  edit(path: string, change: FileChange): this {
    return this.calls([{ call: 'change', tool: 'Edit', path, change }])
  }

  /** A call of Write, with its checkpoint; without `before` the file is new. */
  writeFile(path: string, content: string, before: string | null = null): this {
    return this.calls([{ call: 'change', tool: 'Write', path, change: { before, after: content } }])
  }

  /** A call of TodoWrite, and the file that keeps the list. A bare string is something still to do. */
  todo(items: readonly (string | TodoItem)[]): this {
    const all = items.map(
      (item): TodoItem => (typeof item === 'string' ? { content: item, status: 'pending', activeForm: item } : item),
    )
    return this.calls([{ call: 'todo', items: all }])
  }

  /** A plan shown with ExitPlanMode, and its file. */
  plan(markdown: string, options: PlanOptions = {}): this {
    return this.calls([{ call: 'plan', markdown, options }])
  }

  /** A subagent, written where the version keeps them. */
  subagent(spec: SubagentSpec): this {
    return this.calls([{ call: 'agent', spec: recordAgent(spec) }])
  }

  /** An agent that the client started for itself (2.0.37 to 2.1.4). */
  warmup(reply = 'Ready.'): this {
    return this.record({ do: 'warmup', reply })
  }

  /** A workflow with its agents. */
  workflow(spec: WorkflowSpec): this {
    const agents = spec.agents.map(({ label, phase, ...agent }) => ({
      ...recordAgent({ type: 'workflow-subagent', ...agent, description: label }),
      phase: phase ?? 'Work',
    }))
    const { name, description = name, result = 'Done.' } = spec
    return this.record({ do: 'workflow', spec: { name, description, agents, result } })
  }

  /** Word from a background agent or a workflow (named by its description or name) that it has stopped. */
  notification(options: NotificationOptions = {}): this {
    return this.record({ do: 'notification', options })
  }

  /** A slash command; with `expansion` one of the user's own. */
  command(name: string, options: CommandOptions = {}): this {
    return this.record({ do: 'command', name, options })
  }

  /** A shell command typed with `!`. */
  bash(input: string, stdout: string, stderr = ''): this {
    return this.record({ do: 'bash', input, stdout, stderr })
  }

  /** A prompt typed while the model worked. */
  queued(text: string): this {
    return this.record({ do: 'queued', text })
  }

  /** The person stopped the model, or the tool that ran. */
  interrupt(options: InterruptOptions = {}): this {
    return this.record({ do: 'interrupt', options })
  }

  /** The conversation was compacted. */
  compact(options: CompactOptions = {}): this {
    return this.record({ do: 'compact', options })
  }

  /** Back to before a prompt, counted from 1 in the order they were given. */
  rewind(options: { readonly to: number }): this {
    return this.record({ do: 'rewind', to: options.to })
  }

  /** A title given by hand. */
  title(text: string): this {
    return this.record({ do: 'title', text })
  }

  /** A title made by a model. */
  aiTitle(text: string): this {
    return this.record({ do: 'ai-title', text })
  }

  /** An old summary row, naming a leaf: by default the row before it. */
  summary(text: string, leafUuid?: string): this {
    return this.record({ do: 'summary', text, leafUuid })
  }

  /** A request that failed. */
  apiError(kind: ApiErrorKind, options: ApiErrorOptions = {}): this {
    return this.record({ do: 'api-error', kind, options })
  }

  /** Claude Code's own totals so far; tokens are those of the responses, money is what you give. */
  costState(fields: JsonObject = {}): this {
    return this.record({ do: 'cost-state', fields })
  }

  /** Time in which nothing is written. */
  wait(ms: number): this {
    return this.record({ do: 'wait', ms })
  }

  /** Later rows name another working folder; the file stays where it is. */
  cd(cwd: string, gitBranch?: string): this {
    return this.record({ do: 'cd', cwd, gitBranch })
  }

  /** Another client version goes on with the session. */
  upgrade(version: string): this {
    return this.record({ do: 'upgrade', version })
  }

  /** Any row; one with a uuid becomes the parent of what follows. A function is told where it stands. */
  raw(row: JsonObject | ((at: RawPlace) => JsonObject)): this {
    return this.record({ do: 'raw', row })
  }

  /** Any bytes, just as they are: no newline is added. */
  bytes(bytes: Uint8Array | string): this {
    return this.record({ do: 'bytes', bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes })
  }

  protected record(step: Step): this {
    this.recorded.push(step)
    return this
  }

  private calls(calls: readonly Call[]): this {
    return this.record({ do: 'calls', calls })
  }
}

function recordAgent(spec: SubagentSpec): RecordedAgent {
  const inner = new Steps()
  spec.steps?.(inner)
  return {
    type: spec.type ?? 'general-purpose',
    description: spec.description,
    prompt: spec.prompt,
    steps: inner.recorded,
    result: spec.result,
    error: spec.error,
    background: spec.background ?? false,
    model: spec.model,
  }
}
