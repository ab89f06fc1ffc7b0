import { defineConfig, type UserConfig } from 'tsdown'
import { lazyChunks } from './scripts/lazy-chunks.mjs'
import { skimWasm } from './scripts/skim-wasm.mjs'

const library = {
  index: 'src/index.ts',
  core: 'src/core/index.ts',
  format: 'src/core/format.ts',
  disk: 'src/disk/index.ts',
  testing: 'src/testing/index.ts',
}

const common: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: true,
  dts: false,
  clean: false,
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  define: { 'process.env.NODE_ENV': "'production'" },
  plugins: [skimWasm()],
  logLevel: 'warn',
  inputOptions: { checks: { pluginTimings: false } },
}

/** A test for some files, by their folders. */
function filesOf(folders: Readonly<Record<string, string>>): RegExp {
  const paths = Object.entries(folders).map(([folder, names]) => `${folder}/(?:${names.replaceAll(' ', '|')})`)
  return new RegExp(`src/(?:${paths.join('|')})\\.ts$`)
}

// Which files of the program its sources come to: what is used together. The first test that fits decides.
const FILES: readonly (readonly [name: string, test: RegExp])[] = [
  // What writes the index.
  [
    'writing',
    filesOf({
      disk: 'threads',
      index:
        'calls copy-key doc-order fact-row facts holdings ingest ingest-text known-log links log-rows names purge sidecars skimmed-calls straight-rows text text-batch transactions write write-text',
    }),
  ],
  // What lists, sums and prints: the way of the commands that are asked most.
  [
    'start',
    filesOf({
      archive: 'archive archive-source purged',
      cli: 'command-line commands context environment flags main output own-commands reached run team version watchdog',
      'cli/format': 'index',
      'cli/format/parts': 'lines money names session-line table',
      'cli/terminal': 'columns day fold human is-terminal pager progress sanitize style width',
      core: 'duration encode failure grouped json json-text nearest schema time',
      'core/facts': 'agent-link response-rows row-table title uuid-bytes',
      'core/log': 'version',
      'core/tools': 'meaning-of',
      'core/tree': 'fork-order',
      'core/usage': 'calendar day-start local-time model-name moment period price usage window',
      disk: 'disk-source inventory layout library live one-file regular-file retention sessions-index small-file',
      history:
        'agents compose expiring families find forks gone history imported-roots info list notes questions scope shapes sync-due titles',
      'history/usage': 'billed price-book prices session-costs spending spending-limit spent-rows usage usage-rows',
      'history/view': 'item-shape session-item',
      index:
        'activity driver last-response listing-mark log-notes open owner row-tables schema survey unchanged unused',
      ops: 'input op',
      state: 'folders marks private-file',
    }),
  ],
  // What looks for words.
  ['search', /src\/(?:index\/search|history\/search|index\/turns|core\/search\/(?:match|phrases|query|snippet))/],
  // What reads single rows of a log.
  [
    'rows',
    /src\/(?:core\/(?:log|search|tools)\/|core\/facts\/agent-turn|disk\/(?:fill|log-file|page|record-reader)\.ts)/,
  ],
  // What reads logs from end to end.
  [
    'reading',
    /src\/(?:core\/(?:skim|tree|facts)\/|core\/usage\/usage-fold|disk\/(?:cursor|log-facts|read-start|survey)\.ts)/,
  ],
  ['archive', /src\/archive\//],
]

// The program, small and in few files that are loaded when they are used, so that starting costs little: CommonJS, as Node takes
// milliseconds to begin with modules. Two scripts that it runs; the library, to be read; all with their dependencies bundled, so that
// users install nothing. Then the types.
export default defineConfig([
  {
    ...common,
    format: 'cjs',
    entry: {
      cli: 'src/cli.ts',
      'check-worker': 'src/disk/check-worker.ts',
      'rows-worker': 'src/index/rows-worker.ts',
      'text-worker': 'src/index/text-worker.ts',
      'picker-worker': 'src/cli/picker/worker.ts',
      'server-worker': 'src/server/worker.ts',
      ops: 'src/ops/index.ts',
    },
    clean: true,
    minify: true,
    plugins: [skimWasm(), lazyChunks()],
    inputOptions: { ...common.inputOptions, preserveEntrySignatures: 'allow-extension' },
    // What is used together is one file: each further one costs half a millisecond.
    outputOptions: {
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          ...FILES.map(([name, test], at) => ({ name, test, priority: FILES.length - at })),
          { name: 'common', minShareCount: 16 },
        ],
      },
    },
  },
  { ...common, entry: library },
  {
    entry: library,
    format: 'esm',
    platform: 'node',
    fixedExtension: true,
    dts: { emitDtsOnly: true },
    clean: false,
    logLevel: 'warn',
    inputOptions: { checks: { pluginTimings: false } },
  },
])
