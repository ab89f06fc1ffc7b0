import { Type } from '../core/schema.ts'
import { watchLogs } from '../disk/watch.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import type { TextIngested } from '../index/ingest-text.ts'
import type { LogIndex } from '../index/log-index.ts'
import { sqliteFailure } from '../index/sqlite.ts'
import { defineOp } from './op.ts'

export const indexing = defineOp({
  name: 'index',
  alsoIn: 'Look after',
  changes: true,
  effort: 'long',
  summary: 'Update the index; other commands do so by themselves.',
  examples: ['annals index', 'annals index --rebuild', 'annals index --follow'],
  input: Type.Object({
    rebuild: Type.Optional(Type.Boolean('Build it again from the logs; says what only the index still knew')),
    follow: Type.Optional(Type.Boolean({ description: 'Keep indexing what is written', alias: 'f' })),
  }),
  positional: [],
  result: Type.Object({
    filesSeen: Type.Integer(),
    filesRead: Type.Integer(),
    bytesRead: Type.Integer(),
    records: Type.Integer(),
    tookMs: Type.Integer(),
    indexBytes: Type.Integer(),
    behindBytes: Type.Integer(),
    forgottenFiles: Type.Integer('Vanished logs that a rebuild no longer knows'),
  }),
  async run(context, input) {
    const start = performance.now()
    const index = indexOf(context)
    const forgottenFiles = input.rebuild ? index.rebuild().forgotten : 0
    // What lists and sums need comes first: it takes a fraction of the time, and an interrupted build has it.
    await index.refresh((done, total) => context.progress(done, total, 'lists and sums'))
    const done = await index.refreshText((done, total) => context.progress(done, total, 'text'))
    return toResult(context, done, start, forgottenFiles)
  },
  async *follow(context, _input, signal) {
    const { library } = context
    let changed = new Set<string>()
    let wake = () => {}
    const onChange = (paths: ReadonlySet<string>) => {
      for (const path of paths) changed.add(path)
      wake()
    }
    const watching = watchLogs(library.roots, onChange, { debounceMs: 2 })
    signal.addEventListener('abort', () => wake())
    try {
      for (let only: ReadonlySet<string> | undefined; !signal.aborted; only = changed) {
        changed = new Set()
        const start = performance.now()
        if (only === undefined || !indexOf(context).refreshFiles(only)) library.refresh()
        const done = indexOf(context).catchUp()
        if (done.bytesRead > 0) yield toResult(context, done, start, 0)
        if (changed.size > 0) continue
        await new Promise<void>((resolve) => {
          wake = resolve
          if (signal.aborted) resolve()
        })
      }
    } finally {
      await watching.close()
    }
  },
})

/** The local index; a failure says what to install where there is no SQLite. */
function indexOf(context: Context): LogIndex {
  const { index } = historyOf(context)
  if (!index) throw sqliteFailure()
  return index
}

function toResult(context: Context, done: TextIngested, start: number, forgottenFiles: number) {
  const tookMs = Math.round(performance.now() - start)
  const indexBytes = indexOf(context).sizeBytes
  return { filesSeen: context.library.logs().length, ...done, tookMs, indexBytes, forgottenFiles }
}

/** Brings the index further for about so long, and says what is left. */
export function catchUp(context: Context, withinMs: number): TextIngested {
  return indexOf(context).catchUp(withinMs)
}
