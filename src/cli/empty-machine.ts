import type { Failure } from '../core/failure.ts'

/** The one screen for a machine without Claude Code: what annals is, where it looked, and how to see it at work. */
export function emptyMachine({ message, hint }: Failure): readonly string[] {
  return [
    'annals gives you your Claude Code history back: every session listed, searched, counted and kept.',
    '',
    message,
    `  ${hint}`,
    '',
    'To see it at work on a made-up history:',
    '  annals sessions --demo    a list of sessions; --demo works with every command',
    '  annals serve --demo       the web app',
  ]
}
