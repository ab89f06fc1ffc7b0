import type { Static } from '../../core/schema.ts'
import type { resume } from '../../ops/resume.ts'
import { shortPath } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'

/** The command that goes on with a session, ready for a shell; when nobody looks on it is all there is. */
export function formatResume(result: Static<typeof resume.result>, view: View): readonly string[] {
  const env = result.configDir === null ? '' : `CLAUDE_CONFIG_DIR=${quoted(result.configDir)} `
  const command = env + result.command.map(quoted).join(' ')
  const line = result.cwd === null ? command : `cd ${quoted(result.cwd)} && ${command}`
  const isAlone = view.width === Number.POSITIVE_INFINITY || result.title === null
  return isAlone ? [line] : [view.style.dim(truncate(oneLine(result.title ?? ''), view.width)), line]
}

/** A word as a shell takes it for what it is. Control bytes are made visible first, so no word spans two lines. */
function quoted(word: string): string {
  const shown = shortPath(word, undefined)
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}
