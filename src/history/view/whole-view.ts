import type { Context } from '../context.ts'
import type { OpenedSession } from '../open.ts'
import { costsOf } from '../usage/family-costs.ts'
import { type View, viewOf } from './turn-shape.ts'

/** What its rows are shown with: everything there is of tools, and of thinking where it is wanted. */
export async function wholeView(context: Context, opened: OpenedSession, { thinking = true } = {}): Promise<View> {
  const overflowing = opened.files.toolResults.map((entry) => entry.path)
  return viewOf(opened.family, overflowing, { thinking, tools: 'full' }, await costsOf(context, opened))
}
