import { fenced, inlineCode, quoted } from '../../core/markdown/text.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import { resultText } from '../../core/tools/tool-call.ts'
import { typedText } from '../../core/tree/item-text.ts'
import { withoutAnsi } from './ansi.ts'
import { callWords } from './call-words.ts'
import { changeOf } from './change.ts'
import type { Row, RowItem, ToolCall } from './types.ts'

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

function itemText(item: RowItem, folder: string | null): string {
  switch (item.kind) {
    case 'text':
      return item.text.trim()
    case 'thinking':
      return item.text.trim() === '' ? '' : quoted(`*Thinking.* ${item.text.trim()}`)
    case 'tool':
      return toolText(item, folder)
    case 'command':
    case 'bash': {
      const output = withoutAnsi(item.output ?? '')
      return [`\`${typedText(item)}\``, ...(output === '' ? [] : [fenced(output)])].join('\n\n')
    }
    case 'compaction': {
      const { preTokens, postTokens, summary } = item
      const sizes = `*Compacted: ${preTokens ?? '?'} → ${postTokens ?? '?'} tokens*`
      return ['---', sizes, ...(summary ? [summary] : [])].join('\n\n')
    }
    default:
      return item.text.trim() === '' ? '' : quoted(item.text.trim())
  }
}

function toolText(call: ToolCall, folder: string | null): string {
  const meaning = meaningOf(call)
  const { label, what, isCode } = callWords(call.name, meaning, folder)
  const head = `**${label}**${what === '' ? '' : ` ${isCode ? inlineCode(what) : what}`}`
  const change = changeOf(meaning, call.patch)
  const result = withoutAnsi(resultText(call)).trim()
  if (change) {
    const lines = change.hunks.flatMap((hunk) => hunk.map(({ sign, text }) => `${sign}${text}`))
    return [head, fenced(lines.join('\n'), 'diff'), ...(call.isError && result ? [quoted(result)] : [])].join('\n\n')
  }
  const asked = meaning.kind === 'shell' && meaning.command.includes('\n') ? [fenced(meaning.command, 'sh')] : []
  return [head, ...asked, ...(result === '' ? [] : [fenced(result)])].join('\n\n')
}
