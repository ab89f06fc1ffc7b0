import { Type } from 'typebox'
import { watchLogs } from '../disk/watch.ts'
import { Store } from '../store/store.ts'
import { type Context, defineOp } from './op.ts'

export const indexing = defineOp({
  name: 'index',
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
  run(context, input) {
    const store = openStore(context)
    const forgottenFiles = input.rebuild ? store.rebuild().forgotten : 0
    const done = store.update({ progress: context.progress })
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
        if (done.bytesRead > 0) yield { ...done, indexBytes: store.sizeBytes, forgottenFiles: 0 }
        await changed
      }
    } finally {
      await watching.close()
      store.close()
    }
  },
})

/** The index of the roots in question. */
export function openStore(context: Context): Store {
  return new Store({ roots: context.library.roots, folder: context.cacheDir, onWarning: context.warn })
}
