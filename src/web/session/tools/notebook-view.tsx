import { stringAt, textAt } from '../../../core/json.ts'
import { Code } from '../../code.tsx'
import type { ToolCall } from '../tool-call.ts'

/** What was written into a cell of a notebook. */
export function NotebookView({ call }: { call: ToolCall }) {
  const source = stringAt(call.input, 'new_source') ?? ''
  const mode = textAt(call.input, 'edit_mode') ?? 'replace'
  const cell = textAt(call.input, 'cell_id')
  const isMarkdown = stringAt(call.input, 'cell_type') === 'markdown'
  return (
    <div className="space-y-2 px-3 py-2">
      <p className="text-sm text-muted">
        {mode === 'insert' ? 'New cell' : mode === 'delete' ? 'Cell removed' : 'Cell replaced'}
        {cell !== undefined && `, ${mode === 'insert' ? 'after' : ''} ${cell}`}
      </p>
      {mode !== 'delete' && <Code text={source} language={isMarkdown ? 'markdown' : 'python'} label="Cell" />}
      {call.isError && <p className="whitespace-pre-wrap text-danger">{call.result}</p>}
    </div>
  )
}
