import { withEdits } from './apply.ts'
import { dropEntry, listEntries } from './journal.ts'

/** Forgets all edits of a session, with the copies that they kept: they can no longer be undone. Gives how many there were. */
export function forgetEdits(dataDir: string, session: string): number {
  return withEdits(
    dataDir,
    () => {},
    () => {
      const own = listEntries(dataDir).filter((entry) => isAbout(entry, session))
      for (const { id } of own) dropEntry(dataDir, id)
      return own.length
    },
  )
}

/** A fork names the new session alone, and its steps the files of both. */
function isAbout({ sessions, steps }: ReturnType<typeof listEntries>[number], session: string): boolean {
  return sessions.some(({ id }) => id === session) || steps.some(({ path }) => path.includes(session))
}
