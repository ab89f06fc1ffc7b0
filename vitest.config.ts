import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { skimWasm } from './scripts/skim-wasm.mjs'

export default defineConfig({
  plugins: [skimWasm()],
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    setupFiles: ['tests/seed.ts', 'tests/wide-text.ts'],
    // All cores: by itself it leaves one of two idle.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
