import { Failure } from '../../core/failure.ts'
import { changeMark, type Mark, MOST_NOTE } from '../../state/marks.ts'
import type { Context } from '../context.ts'
import { findSession } from '../find.ts'

/** Gives a session a star, or takes it away. Claude Code knows nothing of it. */
export async function starSession(
  context: Context,
  name: string,
  starred: boolean,
): Promise<Mark & { readonly session: string }> {
  return marked(context, name, (mark) => ({ ...mark, starred }))
}

/** Notes something about a session, or forgets it with `null`. */
export async function noteSession(
  context: Context,
  name: string,
  text: string | null,
): Promise<Mark & { readonly session: string }> {
  const note = text?.trim() || null
  if (text !== null && note === null)
    throw new Failure('BAD_INPUT', 'The note is empty.', { hint: '--clear removes one.' })
  if (note !== null && note.length > MOST_NOTE) {
    throw new Failure('BAD_INPUT', `The note is too long: ${MOST_NOTE} characters are taken.`)
  }
  return marked(context, name, (mark) => ({ ...mark, note }))
}

async function marked(
  context: Context,
  name: string,
  change: (mark: Mark) => Mark,
): Promise<Mark & { readonly session: string }> {
  const { dataDir } = context
  if (dataDir === undefined) throw new Failure('CANNOT_RUN', 'There is no folder for stars and notes here.')
  const { files, agent } = await findSession(context, name)
  if (agent) throw new Failure('BAD_INPUT', `${name} is an agent. Only whole sessions have stars and notes.`)
  return { session: files.id, ...changeMark(dataDir, files.id, change) }
}
