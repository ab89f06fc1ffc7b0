import { resultText } from '../../../core/tools/tool-call.ts'
import type { NotebookMeaning } from '../../../core/tools/tool-meaning.ts'
import { Code } from '../../code.tsx'
import type { ToolCall } from '../types.ts'

/** What was written into a cell of a notebook. */
export function NotebookView({ call, meaning }: { call: ToolCall; meaning: NotebookMeaning }) {
  const { source, mode, cell, isMarkdown } = meaning
  return (
    <div className="space-y-2 px-3 py-2">
      <p className="text-sm text-muted">
        {mode === 'insert' ? 'New cell' : mode === 'delete' ? 'Cell removed' : 'Cell replaced'}
        {cell !== null && `, ${mode === 'insert' ? 'after' : ''} ${cell}`}
      </p>
      {mode !== 'delete' && <Code text={source} language={isMarkdown ? 'markdown' : 'python'} label="Cell" />}
      {call.isError && <p className="whitespace-pre-wrap text-danger">{resultText(call)}</p>}
    </div>
  )
}
