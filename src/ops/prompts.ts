import { join } from 'node:path'
import { projectKey } from '../core/encode.ts'
import { commandText } from '../core/facts/title.ts'
import { isObject } from '../core/json.ts'
import { preview } from '../core/log/content.ts'
import type { LogRecord } from '../core/log/record.ts'
import { type Static, Type } from '../core/schema.ts'
import { nodeOf, SPOKEN_KINDS } from '../core/tree/node.ts'
import { between } from '../core/usage/moment.ts'
import { readLogFile } from '../disk/log-file.ts'
import { isPaste, legacyPrompts, openPasteCache, type Prompt, readPrompts } from '../disk/prompts.ts'
import { readJsonFile } from '../disk/small-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { placesIn, readRows } from '../history/scan.ts'
import { inScope } from '../history/scope.ts'
import { limitInput, NullableNumber, NullableString, scopeInput, timeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

const PromptItem = Type.Object({
  text: Type.String('What was typed, pasted texts in their places'),
  typed: Type.String('The same with placeholders for what was pasted'),
  timestamp: NullableString,
  project: NullableString,
  sessionId: NullableString,
  pastes: Type.Array(
    Type.Object({ id: NullableNumber, type: NullableString, content: NullableString, hash: NullableString }),
  ),
  sent: Type.Union(
    [Type.Boolean(), Type.Null()],
    'Whether its session shows it; null where that log is gone or not named',
  ),
})

const ProjectCount = Type.Object({
  path: Type.String(),
  key: Type.String(),
  count: Type.Integer(),
  first: NullableString,
  last: NullableString,
})

export const prompts = defineOp({
  name: 'prompts',
  alsoIn: 'Find',
  teamStore: 'read',
  summary: 'List what you typed, from the prompt history.',
  examples: ['annals prompts', 'annals prompts refresh token', 'annals prompts --projects'],
  input: Type.Object({
    words: Type.Optional(Type.Array(Type.String(), 'Only prompts with all these words')),
    ...scopeInput,
    ...timeInput,
    ...limitInput,
    projects: Type.Optional(Type.Boolean('Count prompts by project')),
  }),
  positional: ['words'],
  result: Type.Object({
    items: Type.Array(Type.Union([PromptItem, ProjectCount])),
    total: Type.Integer(),
    known: Type.Integer('Prompts in the history before any filter; 0 where Claude Code kept none'),
  }),
  async run(context, input) {
    const words = (input.words ?? []).map((word) => word.toLowerCase())
    const fits = inScope(input, context.cwd)
    const inTime = between(input, context.now)
    const isEverywhere = input.project === undefined && input.under === undefined && !input.here
    await historyOf(context).fetchBeside((path) => path === HISTORY || isPaste(path))
    const all = context.library.roots.flatMap((root) => readHistory(context, root))
    const known = all.length
    const found = all
      .filter(
        (prompt) => isEverywhere || (prompt.project && fits({ key: projectKey(prompt.project), path: prompt.project })),
      )
      .filter((prompt) => inTime(prompt.timestamp))
      .filter(({ expanded }) => words.every((word) => expanded.toLowerCase().includes(word)))
      .sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1))
    if (input.projects) {
      const items = byProject(found)
      return { items: items.slice(0, input.limit ?? items.length), total: items.length, known }
    }
    const shown = found.slice(0, input.limit ?? found.length)
    const sent = await sentIn(context, shown)
    const items = shown.map((prompt) => toItem(prompt, sent(prompt)))
    return { items, total: found.length, known }
  },
})

const HISTORY = 'history.jsonl'

function readHistory(context: Context, root: string): readonly Prompt[] {
  const warnings: Warning[] = []
  const source = context.library.beside((path) => path === HISTORY)
  const records: LogRecord[] = []
  for (const entry of [...source.list()].filter((one) => one.root === root)) {
    readLogFile(source, entry, {
      record: (record) => records.push(record),
      diagnostic: ({ place, message }) =>
        warnings.push({ file: place.file, message: `Line ${place.line}: ${message}` }),
    })
  }
  source.close()
  const found = [...readPrompts(records, openPasteCache(context.library.beside, root, warnings), warnings)]
  // The 1.0 client had no history file of its own.
  for (const name of ['.claude.json', 'config.json']) {
    const config = readJsonFile(join(root, name), warnings)?.value
    if (isObject(config)) found.push(...legacyPrompts(config))
  }
  for (const warning of warnings) context.warn(warning)
  return found
}

function toItem(prompt: Prompt, sent: boolean | null): Static<typeof PromptItem> {
  const { text, expanded, timestamp, project, sessionId, pastes } = prompt
  return {
    text: expanded,
    typed: text,
    timestamp,
    project,
    sessionId,
    pastes: pastes.map(({ id, type, content, hash }) => ({ id, type, content, hash })),
    sent,
  }
}

/** Looks a prompt up in the log of its session, by its first words. Where the index knows what was said in a log, only that is read. */
async function sentIn(context: Context, prompts: readonly Prompt[]): Promise<(prompt: Prompt) => boolean | null> {
  const { library } = context
  const history = historyOf(context)
  const queries = await history.refresh()
  const behind = new Set((await queries.search.unindexed()).map(({ path }) => path))
  const places = await queries.calls.rows({ kinds: SPOKEN_KINDS })
  const logs = new Map(library.sessions().map(({ id, log }) => [id, log]))
  const named = prompts.flatMap(({ sessionId }) => logs.get(sessionId ?? '') ?? [])
  await history.fetchRecords(named.flatMap(({ path }) => placesIn(path, places.get(path))))
  const nodesOf = (log: SourceEntry) =>
    behind.has(log.path)
      ? library.facts(log)?.facts.nodes
      : readRows(library.source, log, places.get(log.path) ?? []).flatMap((record) => nodeOf(record) ?? [])
  const said = new Map<string, ReadonlySet<string> | null>()
  return ({ sessionId, expanded }) => {
    if (sessionId === null) return null
    if (!said.has(sessionId)) {
      const log = logs.get(sessionId)
      const nodes = log && nodesOf(log)
      said.set(sessionId, nodes ? new Set(nodes.flatMap((node) => spoken(commandText(node) ?? node.preview))) : null)
    }
    const texts = said.get(sessionId)
    return texts ? texts.has(firstWords(expanded.replace(/^!/, ''))) : null
  }
}

function spoken(text: string | null): readonly string[] {
  if (text === null) return []
  const bash = /^<bash-input>([\s\S]*?)(?:<\/bash-input>|$)/.exec(text)
  return [firstWords(bash ? (bash[1] as string) : text)]
}

/** What a prompt begins with, white space and the places of pictures aside: these differ between history and log. */
function firstWords(text: string): string {
  return preview(text, 200)
    .replace(/\[Image #\d+\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 150)
}

function byProject(found: readonly Prompt[]): Static<typeof ProjectCount>[] {
  const projects = new Map<string, Static<typeof ProjectCount>>()
  for (const { project: path, timestamp } of found) {
    if (path === null) continue
    const seen = projects.get(path)
    const times = [seen?.first, seen?.last, timestamp].filter((time) => typeof time === 'string').sort()
    projects.set(path, {
      path,
      key: projectKey(path),
      count: (seen?.count ?? 0) + 1,
      first: times[0] ?? null,
      last: times.at(-1) ?? null,
    })
  }
  return [...projects.values()].sort((a, b) => ((a.last ?? '') < (b.last ?? '') ? 1 : -1))
}
