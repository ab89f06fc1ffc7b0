import { iso, type Line, type Session } from './thread.ts'

/** Turns lines into a file of the session. */
export function addLines(session: Session, path: string, lines: readonly Line[], modifiedAt: number): void {
  session.files.set(path, { path, content: joinLines(lines), modifiedAt: iso(modifiedAt) })
}

/** The bytes of a log: a newline after every row, and none of ours around bytes given as they are. */
export function joinLines(lines: readonly Line[]): string | Uint8Array {
  if (lines.every((line) => 'row' in line)) {
    return lines.map((line) => ('row' in line ? `${JSON.stringify(line.row)}\n` : '')).join('')
  }
  return Buffer.concat(lines.map((line) => ('row' in line ? Buffer.from(`${JSON.stringify(line.row)}\n`) : line.bytes)))
}
