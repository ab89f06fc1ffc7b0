import { resolve } from 'node:path'
import { planMove } from '../../edit/move.ts'
import { planRename, planTag } from '../../edit/rename.ts'
import { planRewind } from '../../edit/rewind.ts'
import type { Context } from '../context.ts'
import { editableOpened, editableSession } from './editable.ts'
import { conversationPoint } from './point.ts'
import type { EditResult } from './result.ts'
import { type EditHow, readyForEdits, runEdit } from './run-edit.ts'

/** Gives a session another title. */
export async function renameSession(
  context: Context,
  name: string,
  title: string,
  how: EditHow = {},
): Promise<EditResult> {
  readyForEdits(context, how)
  return runEdit(context, planRename(await editableSession(context, name), title), how)
}

/** Gives a session a tag, or takes it away with `null`. */
export async function tagSession(
  context: Context,
  name: string,
  tag: string | null,
  how: EditHow = {},
): Promise<EditResult> {
  readyForEdits(context, how)
  return runEdit(context, planTag(await editableSession(context, name), tag), how)
}

/** Lets a session belong to another working folder. */
export async function moveSession(context: Context, name: string, to: string, how: EditHow = {}): Promise<EditResult> {
  readyForEdits(context, how)
  return runEdit(context, planMove(await editableSession(context, name), resolve(context.cwd, to)), how)
}

/** Lets a session go on from a point: `SESSION:TURN`, `SESSION:UUID` or `FILE:LINE`. */
export async function rewindSession(context: Context, point: string, how: EditHow = {}): Promise<EditResult> {
  readyForEdits(context, how)
  const { opened, leaf } = await conversationPoint(context, point)
  return runEdit(context, planRewind(await editableOpened(context, opened), leaf), how)
}
