import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { countLines, withoutLines } from '../archive/history.ts'
import { HISTORY } from '../archive/kept-files.ts'
import { isObject, parseJson, parseRewritable, stringAt } from '../core/json.ts'
import { clientOn } from './guard.ts'
import { bytesFrom, mustSee } from './seen.ts'
import { type RemoveStep, rewrite, type Step } from './step.ts'

/** Steps for the prompt history of a root, or why it is left as it is. */
export interface HistoryEdit {
  readonly steps: readonly Step[]
  readonly left: readonly string[]
}

const NOTHING: HistoryEdit = { steps: [], left: [] }

/** Takes the prompts of sessions out of a root's history, with the pasted texts that only they name. */
export function withoutPrompts(root: string, sessions: ReadonlySet<string>): HistoryEdit {
  const path = join(root, HISTORY)
  if (!existsSync(path)) return NOTHING
  const seen = mustSee(path)
  const bytes = bytesFrom(path, 0)
  const { kept, pastes, others } = withoutLines(bytes, ({ session }) => session !== null && sessions.has(session))
  if (kept.length === bytes.length) return NOTHING
  const removed = [...pastes].filter((hash) => /^[0-9a-f]+$/.test(hash) && !others.has(hash))
  const texts = removed.map((hash) => join(root, 'paste-cache', `${hash}.txt`)).filter((text) => existsSync(text))
  const removals = texts.map((text): RemoveStep => ({ action: 'remove', path: text, before: mustSee(text) }))
  return whileNobodyRuns(root, path, [rewrite(seen, () => kept, countLines(bytes) - countLines(kept)), ...removals])
}

/** Lets the prompts of a folder belong to another. Every other byte stays. */
export function withProject(root: string, from: string, to: string): HistoryEdit {
  const path = join(root, HISTORY)
  if (!existsSync(path)) return NOTHING
  const seen = mustSee(path)
  const bytes = bytesFrom(path, 0)
  let rows = 0
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => {
      const text = Buffer.from(line, 'latin1').toString('utf8')
      const value = parseJson(text)
      if (stringAt(value, 'project') !== from) return line
      rows += 1
      return Buffer.from(movedLine(text, from, to), 'utf8').toString('latin1')
    })
  if (rows === 0) return NOTHING
  return whileNobodyRuns(root, path, [rewrite(seen, () => Buffer.from(lines.join('\n'), 'latin1'), rows)])
}

/** The line with another project; written anew only where it is spelt in a way that nobody writes. */
function movedLine(line: string, from: string, to: string): string {
  const spelt = `"project":${JSON.stringify(from)}`
  const moved = line.replace(spelt, () => `"project":${JSON.stringify(to)}`)
  const value = parseJson(moved)
  if (stringAt(value, 'project') === to) return moved
  const whole = parseRewritable(line)
  // A line that cannot be written again stays, in the old folder.
  return isObject(whole) ? JSON.stringify({ ...whole, project: to }) : line
}

/** A client appends to its history whenever it likes, and would lose or double lines. */
function whileNobodyRuns(root: string, path: string, steps: readonly Step[]): HistoryEdit {
  const pid = clientOn(root)
  if (pid === undefined) return { steps, left: [] }
  return { steps: [], left: [`${path} is not changed while Claude Code (process ${pid}) runs.`] }
}
