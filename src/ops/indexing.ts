import { Type } from 'typebox'
import { archiveFolder } from '../archive/archive.ts'
import { withArchive } from '../archive/archive-source.ts'
import type { Library } from '../disk/library.ts'
import { watchLogs } from '../disk/watch.ts'
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
    await context.library.warmUp((done, total) => context.progress(done, total, 'lists and sums'), { whole: true })
    const done = await store.updateOnAllCores({ progress: (done, total) => context.progress(done, total, 'text') })
    const result = { ...done, indexBytes: store.sizeBytes, forgottenFiles }
    store.close()
    return result
  },
  async *follow(context, _input, signal) {
    const store = openStore(context)
    let wake = () => {}
    const watching = watchLogs(context.library.roots, () => wake(), { debounceMs: 10 })
    signal.addEventListener('abort', () => wake())
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve
        })
        const done = store.update()
        if (done.bytesRead > 0) await refreshed(context.library)
        if (done.bytesRead > 0) yield { ...done, indexBytes: store.sizeBytes, forgottenFiles: 0 }
        await changed
      }
    } finally {
      await watching.close()
      store.close()
    }
  },
})

/** Keeps what lists and sums need up to date with what was written. */
async function refreshed(library: Library): Promise<void> {
  library.refresh()
  await library.warmUp(undefined, { whole: true })
}

/** The index of the roots in question. */
export function openStore(context: Context): Store {
  const { library, cacheDir: folder, dataDir, warn: onWarning } = context
  const open = dataDir === undefined ? undefined : withArchive(archiveFolder(dataDir))
  return new Store({ roots: library.roots, folder, onWarning, ...(open && { open }) })
}
