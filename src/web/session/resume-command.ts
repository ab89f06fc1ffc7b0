/** The command that goes on with a session, in the folder it was begun in. */
export function resumeCommand(session: {
  readonly id: string
  readonly project: { readonly path: string | null }
}): string {
  const { path } = session.project
  const resume = `claude --resume ${quoted(session.id)}`
  return path === null ? resume : `cd ${quoted(path)} && ${resume}`
}

/** A word that a shell takes as it stands: a path from a log is pasted into a terminal. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('-')) return word
  // A control character would act on the terminal before the shell has a say.
  const plain = word.replace(/\p{Cc}/gu, '')
  return `'${plain.replaceAll("'", `'\\''`)}'`
}
