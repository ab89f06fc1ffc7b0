import { Type } from 'typebox'
import { archiveFolder } from '../archive/archive.ts'
import { withArchive } from '../archive/archive-source.ts'
import { watchLogs } from '../disk/watch.ts'
import { historyOf } from '../history/history.ts'
import type { Ingested } from '../store/ingest.ts'
import { Store } from '../store/store.ts'
import { type Context, defineOp } from './op.ts'

export const indexing = defineOp({
  name: 'index',
  changes: true,
  summary: 'Bring the search index up to date; `search` does so by itself, for a moment.',
  examples: ['annals index', 'annals index --rebuild', 'annals index --follow'],
  input: Type.Object({
    rebuild: Type.Optional(Type.Boolean({ description: 'Begin anew; says what only the index still knew' })),
    follow: Type.Optional(Type.Boolean({ description: 'Stay, and index what is written', alias: 'f' })),
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
    forgottenFiles: Type.Integer({ description: 'Vanished logs that a rebuild no longer knows' }),
  }),
  async run(context, input) {
    const store = openStore(context)
    const forgottenFiles = input.rebuild ? store.rebuild().forgotten : 0
    // What lists and sums need comes first: it takes a fraction of the time, and an interrupted build has it.
    await historyOf(context).refresh((done, total) => context.progress(done, total, 'lists and sums'))
    const done = await store.updateOnAllCores({ progress: (done, total) => context.progress(done, total, 'text') })
    const result = { ...done, indexBytes: store.sizeBytes, forgottenFiles }
    store.close()
    return result
  },
  async *follow(context, _input, signal) {
    const store = openStore(context)
    let changed = new Set<string>()
    let wake = () => {}
    const onChange = (paths: ReadonlySet<string>) => {
      for (const path of paths) changed.add(path)
      wake()
    }
    const watching = watchLogs(context.library.roots, onChange, { debounceMs: 10 })
    signal.addEventListener('abort', () => wake())
    try {
      for (let only: ReadonlySet<string> | undefined; !signal.aborted; only = changed) {
        changed = new Set()
        const done = updateOnly(store, only)
        if (done.bytesRead > 0) {
          yield { ...done, indexBytes: store.sizeBytes, forgottenFiles: 0 }
          context.library.refresh()
          await historyOf(context).refresh()
        }
        if (changed.size > 0) continue
        await new Promise<void>((resolve) => {
          wake = resolve
          if (signal.aborted) resolve()
        })
      }
    } finally {
      await watching.close()
      store.close()
    }
  },
})

/** Looks at the logs that changed; at all of them where one is gone, or known by another path. */
function updateOnly(store: Store, changed: ReadonlySet<string> | undefined): Ingested {
  const only = new Set([...(changed ?? [])].filter((path) => path.endsWith('.jsonl')))
  const done = changed && only.size > 0 ? store.update({ only }) : undefined
  return done && done.filesSeen === only.size ? done : store.update()
}

/** The index of the roots in question. */
export function openStore(context: Context): Store {
  const { library, cacheDir: folder, dataDir, warn: onWarning } = context
  const open = dataDir === undefined ? undefined : withArchive(archiveFolder(dataDir))
  return new Store({ roots: library.roots, folder, onWarning, ...(open && { open }) })
}
