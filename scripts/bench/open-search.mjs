// The operation `search` in this process, made of the source: its answer is what every face of annals shows.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsdown'
import { skimWasm } from '../skim-wasm.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Searches the index in a folder as a server does whose writer keeps it up to date. */
export async function openSearch({ dir, root, state }) {
  const { openLibrary, search } = await bundled(dir)
  const library = openLibrary([root], () => {}, undefined)
  const person = { now: new Date(), cwd: root, home: root, cacheDir: state, currentSession: undefined }
  const context = { library, ...person, isIndexing: true, isReader: true, warn: () => {}, progress: () => {} }
  return (text, input = {}) => search.run(context, { query: [text], ...input })
}

/** Where it lies, it finds SQLite as the package does. */
async function bundled(dir) {
  symlinkSync(here('../../node_modules'), join(dir, 'node_modules'), 'junction')
  const outDir = join(dir, 'search')
  await build({
    config: false,
    dts: false,
    format: 'esm',
    platform: 'node',
    fixedExtension: true,
    entry: { search: here('./search-entry.mjs') },
    outDir,
    cwd: here('../..'),
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    plugins: [skimWasm()],
    logLevel: 'error',
  })
  return import(pathToFileURL(join(outDir, 'search.mjs')).href)
}
