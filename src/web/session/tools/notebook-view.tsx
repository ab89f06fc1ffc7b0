import { resultText } from '../../../core/tools/tool-call.ts'
import type { NotebookMeaning } from '../../../core/tools/tool-meaning.ts'
import { Code } from '../../code.tsx'
import { LONGEST_LINE } from '../long-lines.tsx'
import type { ToolCall } from '../types.ts'
import { readable, visible } from '../visible.ts'

/** What was written into a cell of a notebook. */
export function NotebookView({ call, meaning }: { call: ToolCall; meaning: NotebookMeaning }) {
  const { source, mode, cell, isMarkdown } = meaning
  return (
    <div className="space-y-2 px-3 py-2">
      <p className="text-sm text-muted">
        {mode === 'insert' ? 'New cell' : mode === 'delete' ? 'Cell removed' : 'Cell replaced'}
        {cell !== null && `, ${mode === 'insert' ? 'after' : ''} ${visible(cell)}`}
      </p>
      {mode !== 'delete' && (
        <Code text={readable(source, LONGEST_LINE)} language={isMarkdown ? 'markdown' : 'python'} label="Cell" />
      )}
      {call.isError && <p className="whitespace-pre-wrap text-danger">{readable(resultText(call))}</p>}
    </div>
  )
}
