import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, objectAt, parseJson, parseRewritable } from '../core/json.ts'
import { clientOn } from './guard.ts'
import type { HistoryEdit } from './history-lines.ts'
import { bytesFrom, mustSee } from './seen.ts'
import { rewrite } from './step.ts'

/** Moves what the client's own settings say of a folder to another: one name in `.claude.json`, and no other byte. */
export function withSettings(root: string, from: string, to: string): HistoryEdit {
  const path = settingsOf(root)
  const left = (why: string): HistoryEdit => ({ steps: [], left: [`${path ?? join(root, '.claude.json')} ${why}.`] })
  if (path === undefined) return left('does not exist: there are no settings to move')
  const seen = mustSee(path)
  const text = bytesFrom(path, 0).toString('utf8')
  const projects = objectAt(parseJson(text), 'projects')
  if (!projects || !Object.hasOwn(projects, from)) return left(`has no entry for ${from}`)
  if (Object.hasOwn(projects, to)) return left(`has settings for ${to} already, and keeps them`)
  const moved = renamedKey(text, from, to)
  if (moved === undefined) return left('is written in a way that cannot be changed safely')
  const pid = clientOn(root)
  if (pid !== undefined) return left(`is not changed while Claude Code (process ${pid}) runs`)
  return { steps: [rewrite(seen, () => Buffer.from(moved))], left: [] }
}

/** Where the client keeps its settings for a root: inside it, or beside it where it is the usual one. */
function settingsOf(root: string): string | undefined {
  const inside = join(root, '.claude.json')
  const path = existsSync(inside) ? inside : root.endsWith('/.claude') ? join(dirname(root), '.claude.json') : inside
  // People keep it elsewhere, and link to it: the link stays.
  return existsSync(path) ? realpathSync(path) : undefined
}

/** The text with another name for one folder; `undefined` where nothing but that would not be what changes. */
function renamedKey(text: string, from: string, to: string): string | undefined {
  const pattern = new RegExp(`${escaped(JSON.stringify(from))}(?=\\s*:\\s*\\{)`, 'g')
  if ([...text.matchAll(pattern)].length !== 1) return undefined
  const moved = text.replace(pattern, () => JSON.stringify(to))
  const [was, is] = [parseRewritable(text), parseRewritable(moved)]
  const projects = objectAt(is, 'projects')
  if (!isObject(was) || !isObject(is) || !projects) return undefined
  const entries = Object.entries(projects).map(([path, value]) => [path === to ? from : path, value])
  return JSON.stringify({ ...is, projects: Object.fromEntries(entries) }) === JSON.stringify(was) ? moved : undefined
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
