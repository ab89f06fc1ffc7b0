import { defineConfig, type UserConfig } from 'tsdown'
import { builtinModules } from './scripts/builtin-modules.mjs'
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

/** The way from the arguments to an operation, and from its result to the screen. */
const EVERY_COMMAND =
  /src\/(?:cli\/(?:main|run|command-line|commands|context|environment|flags|output|own-commands|reached|team|version|watchdog|terminal\/(?:is-terminal|pager|progress|style)|format\/index)|ops\/(?:op|input)|history\/(?:compose|imported-roots|sync-due)|archive\/archive-source|core\/(?:nearest|usage\/calendar))\.ts$/

/** Small parts of what is asked most: `usage`, `sessions`, `status` and the status line. */
const MOST_ASKED =
  /src\/(?:cli\/format\/parts\/(?:money|session-line)|cli\/terminal\/fold|core\/(?:tree\/(?:fork-order|item-content)|usage\/(?:day-start|window))|disk\/(?:stats-cache|watch)|history\/(?:expiring|usage\/(?:spending-limit|usage-rows)))\.ts$/

/** What looks for words and shows where they stand. */
const SEARCH = /src\/core\/search\/(?:match|phrases|query|snippet)\.ts$/

// Three passes. The program, small and in few files, so that starting costs little; the library, to be read; both with all
// their dependencies bundled, so that users install nothing. Then the types.
export default defineConfig([
  {
    ...common,
    entry: {
      cli: 'src/cli.ts',
      'check-worker': 'src/disk/check-worker.ts',
      'rows-worker': 'src/index/rows-worker.ts',
      'text-worker': 'src/index/text-worker.ts',
      'picker-worker': 'src/cli/picker/worker.ts',
      'server-worker': 'src/server/worker.ts',
      'ask-postgres': 'src/collector/sinks/postgres/ask-postgres.mjs',
      'ask-clickhouse': 'src/collector/sinks/clickhouse/ask-clickhouse.mjs',
      ops: 'src/ops/index.ts',
    },
    clean: true,
    minify: true,
    plugins: [skimWasm(), builtinModules()],
    // What every command goes through, and what most share, are one file: each further one costs half a millisecond and more.
    outputOptions: {
      codeSplitting: {
        groups: [
          { name: 'common', test: (id) => EVERY_COMMAND.test(id) || MOST_ASKED.test(id), priority: 1 },
          { name: 'query', test: SEARCH, priority: 1 },
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
