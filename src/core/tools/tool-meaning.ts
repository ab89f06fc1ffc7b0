import type { Replacement } from './file-edit.ts'
import type { ToolCall } from './tool-call.ts'
import type { Link, ListedTask } from './tool-details.ts'

/** What a tool call did, whatever the client called the tool then. Tools that are not known are `mcp` or `other`. */
export type ToolMeaning =
  | ShellMeaning
  | { readonly kind: 'shell-output' | 'shell-stop'; readonly task: string }
  | { readonly kind: 'watch'; readonly command: string }
  | { readonly kind: 'read'; readonly file: string; readonly fromLine: number | null }
  | { readonly kind: 'list'; readonly folder: string }
  | {
      readonly kind: 'grep' | 'glob'
      readonly pattern: string
      readonly folder: string | null
      readonly glob: string | null
    }
  | { readonly kind: 'edit'; readonly file: string; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'write'; readonly file: string; readonly content: string }
  | NotebookMeaning
  | { readonly kind: 'todos' | 'task-create' | 'task-update' | 'task-list'; readonly tasks: readonly MeantTask[] }
  | { readonly kind: 'task-get'; readonly id: string }
  | { readonly kind: 'plan'; readonly plan: string | null }
  | { readonly kind: 'plan-start' }
  | { readonly kind: 'question'; readonly questions: readonly Question[] }
  | {
      readonly kind: 'agent'
      readonly type: string | null
      readonly description: string | null
      readonly prompt: string | null
    }
  | { readonly kind: 'workflow'; readonly description: string }
  | { readonly kind: 'skill'; readonly name: string; readonly args: string }
  | { readonly kind: 'slash-command'; readonly command: string }
  | { readonly kind: 'fetch'; readonly url: string; readonly asked: string | null }
  | { readonly kind: 'web-search'; readonly query: string; readonly links: readonly Link[]; readonly said: string }
  | { readonly kind: 'tool-search'; readonly query: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly about: string }
  | { readonly kind: 'other'; readonly about: string; readonly file: string | null }

/** A command for a shell and what it printed. */
export interface ShellMeaning {
  readonly kind: 'shell'
  readonly command: string
  readonly description: string | null
  /** It goes on in the background: what came back is not its end. */
  readonly isBackground: boolean
  /** What the model was given, without the exit code, and without `stderr` where that is known apart. */
  readonly stdout: string
  readonly stderr: string
  readonly returnCodeInterpretation: string | null
}

/** A cell of a notebook that was written. */
export interface NotebookMeaning {
  readonly kind: 'notebook'
  readonly file: string
  readonly mode: 'replace' | 'insert' | 'delete'
  readonly cell: string | null
  readonly isMarkdown: boolean
  readonly source: string
}

/** Something to do. */
export interface MeantTask extends ListedTask {
  readonly description: string | null
}

/** A question to a person; `answer` is `null` where none is known. */
export interface Question {
  readonly question: string
  readonly options: readonly {
    readonly label: string
    readonly description: string | null
    readonly isChosen: boolean
  }[]
  readonly answer: string | null
}

/** What a meaning is read from. */
export type MeantCall = Pick<ToolCall, 'name' | 'input' | 'result' | 'exitCode' | 'details'>
