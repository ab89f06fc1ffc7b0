import { defineConfig, type UserConfig } from 'tsdown'
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

// Three bundles and the types of the library, all with their dependencies inside, so that users install nothing.
// The program and its workers are CommonJS: Node starts it 5 to 20 ms faster than ES modules.
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
    // No entry takes in a module that others share: whoever needed that module would run the entry too.
    inputOptions: { ...common.inputOptions, preserveEntrySignatures: 'strict' },
    // The bundler splits at `import()`. One file for the modules that at least 24 of these parts share (half of the commands):
    // Node takes longer to find 60 more files than to compile 30 kB more.
    outputOptions: { codeSplitting: { groups: [{ name: 'common', minShareCount: 24 }] } },
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
