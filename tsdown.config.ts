import { defineConfig } from 'tsdown'
import { skimWasm } from './scripts/skim-wasm.mjs'

const entry = {
  cli: 'src/cli.ts',
  index: 'src/index.ts',
  core: 'src/core/index.ts',
  testing: 'src/testing/index.ts',
}

// Two passes: the code with all its dependencies bundled, so that starting costs little and users install nothing; then
// the types, which name `typebox` as it is.
export default defineConfig([
  {
    entry: {
      ...entry,
      'check-worker': 'src/disk/check-worker.ts',
      'rows-worker': 'src/index/rows-worker.ts',
      'text-worker': 'src/index/text-worker.ts',
      'picker-worker': 'src/cli/picker/worker.ts',
      'server-worker': 'src/server/worker.ts',
      ops: 'src/ops/index.ts',
    },
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    clean: true,
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    define: { 'process.env.NODE_ENV': "'production'" },
    plugins: [
      skimWasm(),
      { name: 'without-devtools', load: (id) => (id.endsWith('ink/build/devtools.js') ? '' : undefined) },
    ],
    logLevel: 'warn',
    inputOptions: { checks: { pluginTimings: false } },
  },
  {
    entry: { index: entry.index, core: entry.core, testing: entry.testing },
    format: 'esm',
    platform: 'node',
    fixedExtension: true,
    dts: { emitDtsOnly: true },
    clean: false,
    logLevel: 'warn',
    inputOptions: { checks: { pluginTimings: false } },
  },
])
