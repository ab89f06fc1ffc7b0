import type { TreeNode } from '../tree/node.ts'
import type { LogFacts } from './facts.ts'

/** Where a session's title comes from, best first. */
export type TitleFrom = 'custom' | 'ai' | 'summary' | 'prompt' | 'none'

export interface Title {
  readonly text: string | null
  readonly from: TitleFrom
}

/** The title of a session: what its owner called it, else what the client made up, else the first thing asked, or at least typed. */
export function titleOf(
  facts: Pick<LogFacts, 'customTitle' | 'aiTitle' | 'asked'> & Partial<Pick<LogFacts, 'typed'>>,
  sidecarTitle?: string | null,
  summary?: string | null,
): Title {
  const custom = facts.customTitle?.text ?? sidecarTitle
  if (custom) return { text: custom, from: 'custom' }
  if (facts.aiTitle) return { text: facts.aiTitle.text, from: 'ai' }
  if (summary) return { text: summary, from: 'summary' }
  const asked = facts.asked ?? facts.typed
  return asked ? { text: asked, from: 'prompt' } : { text: null, from: 'none' }
}

/** Whether a summary is one: clients of old also wrote down what went wrong when they asked for it. */
export function isTitle(summary: string): boolean {
  return !NO_TITLE.test(summary)
}

const NO_TITLE =
  /^(?:Invalid API key|API Error|Credit balance (?:is )?too low|Claude (?:AI |Code )?usage limit reached|Prompt is too long|Request timed out|OAuth |Please run \/login|Execution error)/i

/** What a row asked for, in a person's words: a command by its name and arguments. */
export function askedText(node: TreeNode): string | null {
  if (node.kind === 'prompt' || node.kind === 'queued-prompt') return node.preview || null
  if (node.kind !== 'command' || !node.command?.isCustom) return null
  return commandText(node)
}

/** A command as it was typed. */
export function commandText(node: TreeNode): string | null {
  return node.command && `${node.command.name} ${node.command.args}`.trim()
}

/** A command or bash input as it was typed; nothing else is. */
export function typedText(node: TreeNode): string | null {
  return node.kind === 'command' || node.kind === 'bash-input' ? promptWords(node) || null : null
}

/** The first words of a prompt, as they were typed. */
export function promptWords(node: TreeNode): string {
  return commandText(node) ?? (node.preview ?? '').replace(/^<bash-input>|<\/bash-input>$/g, '').trim()
}
