import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Library } from '../src/disk/library.ts'
import type { Context } from '../src/history/context.ts'
import { openRecordedFiles, type RecordedTouch } from '../src/history/files/all-touches.ts'
import { blameUntil } from '../src/history/files/blame.ts'
import { historyOf } from '../src/history/history.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

// An independent replay: rows are parsed here, edits applied on plain arrays, and nothing of the library has a say in it.

interface Row {
  readonly type?: string
  readonly uuid?: string
  readonly timestamp?: string
  readonly message?: { readonly content?: unknown }
  readonly toolUseResult?: unknown
}

interface Change {
  readonly id: string
  readonly path: string
  readonly time: number
  readonly before: string | null | undefined
  readonly patch: readonly { oldStart: number; lines: readonly string[] }[]
  readonly whole: string | undefined
}

const folder = corpus('.')
const roots = folder ? rootsIn(folder) : []

function rootsIn(top: string): readonly string[] {
  return readdirSync(top).flatMap((name) => {
    const path = join(top, name)
    if (!statSync(path).isDirectory()) return []
    if (readdirSync(path).includes('projects')) return [path]
    return readdirSync(path)
      .map((one) => join(path, one))
      .filter((one) => statSync(one).isDirectory() && readdirSync(one).includes('projects'))
  })
}

function changesIn(root: string): ReadonlyMap<string, readonly Change[]> {
  const all = new Map<string, Change>()
  const logs = readdirSync(join(root, 'projects'), { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.jsonl'),
  )
  for (const log of logs)
    for (const change of changesOf(join(root, 'projects', log))) if (!all.has(change.id)) all.set(change.id, change)
  const byPath = new Map<string, Change[]>()
  for (const change of all.values()) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change])
  for (const changes of byPath.values()) changes.sort((a, b) => a.time - b.time)
  return byPath
}

function changesOf(log: string): readonly Change[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const row = parsed(line)
      const content = row?.message?.content
      const result = row?.toolUseResult as Record<string, unknown> | undefined
      if (row?.type !== 'user' || !Array.isArray(content) || typeof result !== 'object' || result === null) return []
      const answer = content.find((one) => one?.type === 'tool_result') as
        | { tool_use_id: string; is_error?: boolean }
        | undefined
      if (!answer || answer.is_error || typeof result.filePath !== 'string' || !Array.isArray(result.structuredPatch))
        return []
      const isNew = result.type === 'create'
      const whole = typeof result.content === 'string' ? result.content : undefined
      const before = isNew ? null : typeof result.originalFile === 'string' ? result.originalFile : undefined
      const patch = result.structuredPatch as Change['patch']
      return [
        { id: answer.tool_use_id, path: result.filePath, time: Date.parse(row.timestamp ?? ''), before, patch, whole },
      ]
    })
}

function parsed(line: string): Row | undefined {
  try {
    return JSON.parse(line) as Row
  } catch {
    return undefined
  }
}

const lf = (text: string) => text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
const linesOf = (text: string) => (text === '' ? [] : lf(text).replace(/\n$/, '').split('\n'))
const untabbed = (line: string) => line.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length))

/** The origin of each line where all changes chain; `undefined` where one does not follow from the one before. */
function chained(changes: readonly Change[]): readonly (string | null)[] | undefined {
  let owners: (string | null)[] | undefined
  let text: string | undefined
  for (const { id, before, patch, whole } of changes) {
    if (before === undefined) return undefined
    const found = before === null ? '' : lf(before)
    if (text !== undefined && found !== text) return undefined
    owners ??= linesOf(found).map(() => null)
    const old = linesOf(found)
    if (patch.length === 0) {
      if (whole === undefined || before !== null) return undefined
      owners = linesOf(whole).map(() => id)
      text = lf(whole)
      continue
    }
    const [made, by]: [string[], (string | null)[]] = [[], []]
    let at = 0
    for (const { oldStart, lines } of patch) {
      while (at < oldStart - 1) {
        made.push(old[at] as string)
        by.push(owners[at++] as string | null)
      }
      for (const line of lines) {
        if (line.startsWith('\\')) return undefined
        // A tab is shown as spaces: which it was, only the texts tell.
        if (!line.startsWith('+') && untabbed(old[at] ?? '') !== untabbed(line.slice(1))) return undefined
        if (line.startsWith('+') && /^ {2}/.test(line) && old.some((one) => one.startsWith('\t'))) return undefined
        if (line.startsWith('+')) {
          made.push(line.slice(1))
          by.push(id)
        } else if (line.startsWith(' ')) {
          made.push(old[at] as string)
          by.push(owners[at++] as string | null)
        } else at += 1
      }
    }
    while (at < old.length) {
      made.push(old[at] as string)
      by.push(owners[at++] as string | null)
    }
    owners = by
    text = made.length === 0 ? '' : `${made.join('\n')}${found === '' || found.endsWith('\n') ? '\n' : ''}`
    if (whole !== undefined && lf(whole) !== text) text = lf(whole)
  }
  return owners
}

/** What a change wrote, by its patch, or all of a new file. */
function writtenBy({ patch, whole }: Change): ReadonlySet<string> {
  const added = patch.flatMap(({ lines }) => lines.flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : [])))
  return new Set([...added, ...(whole === undefined ? [] : linesOf(whole))].map(untabbed))
}

/** Of the published logs; docs/blame.md has what comes out. */
const counts = { files: 0, chains: 0, lines: 0, proven: 0, outside: 0, before: 0, unknown: 0 }
/** Of these, files that a call changed. */
const changed = { files: 0, lines: 0, proven: 0, outside: 0, before: 0, unknown: 0 }

test.each(roots.length > 0 ? roots : ['none'])(
  `%s: blame says what an independent replay says${folder ? '' : WITHOUT_CORPUS}`,
  async (root) => {
    if (root === 'none') return
    const library = new Library({ roots: [root] })
    const context: Context = {
      library,
      now: new Date(),
      cwd: '/',
      home: '/',
      currentSession: undefined,
      rootsOnly: true,
      warn: () => {},
      progress: () => {},
    }
    const files = await openRecordedFiles(context)
    const changes = changesIn(root)
    const isPublished = root.includes('__')
    const known = new Map([...changes.values()].flat().map((change) => [change.id, change]))
    for (const path of files.paths) {
      const touches = await files.touches(path)
      const { lines } = await blameUntil(context, path, touches)
      if (lines.length === 0) continue
      const isChanged = touches.some(({ touch }) => touch.kind === 'edit' || touch.kind === 'write')
      const sums = [...(isPublished ? [counts] : []), ...(isPublished && isChanged ? [changed] : [])]
      for (const sum of sums) sum.files += 1
      for (const { rule, call, text } of lines) {
        for (const sum of sums) {
          sum.lines += 1
          sum[rule as 'proven'] += 1
        }
        const change = call && known.get(call.toolUseId)
        // A proven line is one that its call really wrote. Who published these logs masked texts, and the signs of patches with them.
        if (change && !text.includes('REDACTED'))
          expect(writtenBy(change).has(untabbed(text)), `${path}: ${call.toolUseId}`).toBe(true)
      }
      const own = changes.get(path)
      if (!own || !isAll(touches, own)) continue
      const owners = chained(own)
      // What was only seen later may be something else again.
      const last = touches.findLastIndex(({ touch }) => touch.kind === 'edit' || touch.kind === 'write')
      const { lines: blamed } = await blameUntil(context, path, touches.slice(0, last + 1))
      if (!owners || owners.length !== blamed.length) continue
      counts.chains += 1
      expect(blamed.map(({ call }) => call?.toolUseId ?? null)).toEqual(owners)
    }
    historyOf(context).close()
    library.close()
  },
  300_000,
)

/** Whether the changes that were read here are all that happened to a file. */
function isAll(touches: readonly RecordedTouch[], changes: readonly Change[]): boolean {
  const ids = touches.flatMap(({ touch, toolUseId }) => (['edit', 'write'].includes(touch.kind) ? [toolUseId] : []))
  return ids.join() === changes.map(({ id }) => id).join()
}

test.runIf(folder)('the corpora hold chains to compare, and most lines are told', () => {
  process.stdout.write(`${JSON.stringify({ counts, changed })}\n`)
  expect(counts.chains).toBeGreaterThan(20)
  expect(counts.proven + counts.outside + counts.before).toBeGreaterThan(counts.unknown * 10)
})
