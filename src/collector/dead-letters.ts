import { appendFileSync, chmodSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../core/json.ts'
import { readWhole, syncFolder } from '../state/private-file.ts'

/** What the name of a file of records ends with that a sink would not take. */
export const DEAD = '.dead.jsonl'
const ASIDE = '.purging'

/**
 * Removes some of the records that sinks would not take, of all destinations; gives how many. A collector may add others
 * meanwhile: what stays is appended to whatever it has written, and what a crash left aside is looked at again.
 */
export function removeLetters(folder: string, isMeant: (letter: JsonObject) => boolean): number {
  if (!existsSync(folder)) return 0
  const paths = readdirSync(folder)
    .filter((name) => name.endsWith(DEAD) || name.endsWith(`${DEAD}${ASIDE}`))
    .map((name) => join(folder, name.endsWith(ASIDE) ? name.slice(0, -ASIDE.length) : name))
  let removed = 0
  for (const path of new Set(paths)) removed += removeFrom(path, isMeant)
  if (removed > 0) syncFolder(folder)
  return removed
}

function removeFrom(path: string, isMeant: (letter: JsonObject) => boolean): number {
  let removed = 0
  for (const isFirst of [true, false]) {
    // First what a purge that was killed had put aside, then what is there now.
    if (!isFirst && existsSync(path)) renameSync(path, `${path}${ASIDE}`)
    if (!existsSync(`${path}${ASIDE}`)) continue
    const lines = (readWhole(`${path}${ASIDE}`)?.toString('utf8') ?? '').split('\n').filter((line) => line !== '')
    const kept = lines.filter((line) => {
      const letter = parseJson(line)
      return !isObject(letter) || !isMeant(letter)
    })
    removed += lines.length - kept.length
    if (kept.length > 0) {
      appendFileSync(path, kept.map((line) => `${line}\n`).join(''), { mode: 0o600, flush: true })
      chmodSync(path, 0o600)
    }
    rmSync(`${path}${ASIDE}`)
  }
  return removed
}
