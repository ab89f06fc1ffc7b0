import { numberAt, stringAt, textAt } from '../../core/json.ts'
import { withoutAnsi } from './ansi.ts'
import { changeOf } from './change.ts'
import { type ToolCall, toolCallOf } from './tool-call.ts'
import { toolWords } from './tool-words.ts'
import type { Row } from './types.ts'

/** Rows of a conversation as a Markdown document, for pasting elsewhere. */
export function rowsAsMarkdown(rows: readonly Row[], folder: string | null): string {
  return rows
    .map((row) => rowAsMarkdown(row, folder))
    .filter((text) => text !== '')
    .join('\n\n')
}

/** One row of a conversation as Markdown. */
export function rowAsMarkdown(row: Row, folder: string | null): string {
  const prompt = row.prompt === null ? [] : [promptText(row.prompt)]
  return [...prompt, ...row.items.map((item) => itemText(item, folder))].filter((text) => text !== '').join('\n\n')
}

function promptText({ kind, text, output }: NonNullable<Row['prompt']>): string {
  const asked = kind === 'bash' ? fenced(`! ${text}`, 'sh') : text
  const said = output === null || output === '' ? '' : `\n\n${fenced(withoutAnsi(output))}`
  return `## ${kind === 'queued' ? 'Queued' : 'Asked'}\n\n${asked}${said}`
}

function itemText(item: unknown, folder: string | null): string {
  const text = stringAt(item, 'text') ?? ''
  switch (stringAt(item, 'kind')) {
    case 'text':
      return text.trim()
    case 'thinking':
      return text.trim() === '' ? '' : quoted(`*Thinking.* ${text.trim()}`)
    case 'tool':
      return toolText(toolCallOf(item), folder)
    case 'command':
    case 'bash': {
      const typed = stringAt(item, 'input') ?? `${stringAt(item, 'name') ?? ''} ${stringAt(item, 'args') ?? ''}`.trim()
      const output = withoutAnsi(stringAt(item, 'output') ?? '')
      return [`\`${typed}\``, ...(output === '' ? [] : [fenced(output)])].join('\n\n')
    }
    case 'compaction': {
      const [before, after] = [numberAt(item, 'preTokens'), numberAt(item, 'postTokens')]
      const summary = textAt(item, 'summary')
      return ['---', `*Compacted: ${before ?? '?'} → ${after ?? '?'} tokens*`, ...(summary ? [summary] : [])].join(
        '\n\n',
      )
    }
    default:
      return text.trim() === '' ? '' : quoted(text.trim())
  }
}

function toolText(call: ToolCall, folder: string | null): string {
  const { label, what, isCode } = toolWords(call, folder)
  const head = `**${label}**${what === '' ? '' : ` ${isCode ? inCode(what) : what}`}`
  const change = changeOf(call)
  if (change) {
    const lines = change.hunks.flatMap((hunk) => hunk.map(({ sign, text }) => `${sign}${text}`))
    return [head, fenced(lines.join('\n'), 'diff'), ...(call.isError && call.result ? [quoted(call.result)] : [])].join(
      '\n\n',
    )
  }
  const command = call.name === 'Bash' ? stringAt(call.input, 'command') : undefined
  const asked = command?.includes('\n') ? [fenced(command, 'sh')] : []
  const result = withoutAnsi(call.result ?? '').trim()
  return [head, ...asked, ...(result === '' ? [] : [fenced(result)])].join('\n\n')
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

/** A block of code whose fence is longer than any inside. */
function fenced(text: string, language = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

function inCode(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`
}
