/** A commit that a command made, as far as its words tell. */
export interface Commit {
  /** As git printed it: short. */
  readonly hash: string | null
  readonly branch: string | null
  readonly message: string | null
}

/** The commits that a command made: what git printed; of a silent one what the command says. */
export function commitsOf(command: string, output: string): readonly Commit[] {
  if (!COMMITS.test(command)) return []
  const printed = [...output.matchAll(PRINTED)].map(([, branch = '', hash = '', message = '']) => {
    return { hash, branch: branch.replace(/ \(root-commit\)$/, ''), message: message.trim() || null }
  })
  if (printed.length > 0) return printed
  // Not everything that is called is done: an output that names no commit may tell why there is none.
  return FAILED.test(output) ? [] : [{ hash: null, branch: null, message: messageIn(command) }]
}

const COMMITS = /(?:^|[\s;&|(])git\b[^\n;&|]*\scommit\b(?!-)/
const PRINTED = /^\[(.+?) ([0-9a-f]{7,40})\] (.*)$/gm
const FAILED = /^(?:fatal|error): |nothing (?:added )?to commit|no changes added to commit/m

/** The first line of the message: quoted behind `-m`, or the first of a text that is handed over. */
function messageIn(command: string): string | null {
  const quoted = /\s-[a-z]*m\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(command)
  const text = quoted?.[1] ?? quoted?.[2] ?? ''
  const handed = /<<-?\s*['"]?(\w+)['"]?\r?\n([\s\S]*?)\r?\n\s*\1/.exec(text)?.[2] ?? text
  return (
    handed
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? null
  )
}
