import { taggedText } from '../../../core/log/content.ts'
import { commandOf } from '../../../core/log/row-kind.ts'
import { oneLine } from '../../terminal/sanitize.ts'

/** What a row of the tree says, as it was typed: commands and bash inputs without their tags. */
export function askedWords({ kind, text }: { readonly kind: string; readonly text: string | null }): string {
  if (text === null) return ''
  if (kind === 'bash-input') return `! ${oneLine(taggedText(text, 'bash-input') ?? text)}`
  const command = kind === 'command' ? commandOf(text) : undefined
  return oneLine(command ? `${command.name} ${command.args}` : text)
}
