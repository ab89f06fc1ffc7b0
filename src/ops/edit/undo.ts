import { Type } from '../../core/schema.ts'
import { EditResult, howInput, PastEditShape } from '../../history/edits/result.ts'
import { listEdits, undoEdit } from '../../history/edits/undo-edit.ts'
import { defineOp } from '../op.ts'

export const undo = defineOp({
  name: 'undo',
  group: 'Look after',
  changes: true,
  summary: 'Undo an edit, byte for byte.',
  examples: ['annals undo', 'annals undo --list', 'annals undo 3f9ac2d1 --dry-run', 'annals undo 3f9ac2d1 --finish'],
  input: Type.Object({
    id: Type.Optional(Type.String('The edit, by the start of its id (default: the newest)')),
    list: Type.Optional(Type.Boolean('List the edits that can be undone')),
    finish: Type.Optional(Type.Boolean('Complete an interrupted edit instead of taking it back')),
    ...howInput,
  }),
  positional: ['id'],
  result: Type.Object({
    ...Type.Partial(EditResult).properties,
    items: Type.Array(PastEditShape, 'With --list: the edits, the newest first'),
  }),
  async run(context, { id, list, finish, 'dry-run': dryRun, yes, force }) {
    if (list) return { items: listEdits(context) }
    return { ...(await undoEdit(context, id, { finish, dryRun, yes, force })), items: [] }
  },
})
