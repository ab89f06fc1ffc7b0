/** A line of a file as the Read tool gave it. */
interface NumberedLine {
  readonly number: number
  readonly text: string
}

/** What the Read tool gave: the file's lines, and what the client wrote around them. */
interface ReadOutput {
  readonly lines: readonly NumberedLine[]
  /** Words that are no lines of the file: a warning, a reminder. */
  readonly notes: string
}

/** Takes the numbers off the lines of a file: both `     1→text` and `1⇥text`. */
export function readOutputOf(result: string): ReadOutput {
  const lines: NumberedLine[] = []
  const notes: string[] = []
  for (const line of result.split('\n')) {
    const match = /^ {0,12}(\d{1,9})[→\t](.*)$/s.exec(line)
    if (match) lines.push({ number: Number(match[1]), text: match[2] as string })
    else notes.push(line)
  }
  return { lines, notes: notes.join('\n').trim() }
}
