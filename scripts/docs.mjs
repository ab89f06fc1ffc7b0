// Makes the pages of docs/ that are made of the code: docs/cli.md of the operations, docs/api.md of the public types.
import { spawnSync } from 'node:child_process'

const env = { ...process.env, UPDATE: '1' }
const made = spawnSync('npx', ['vitest', 'run', 'tests/docs.test.ts', 'tests/api.test.ts'], {
  stdio: 'inherit',
  env,
  shell: process.platform === 'win32',
})
process.exitCode = made.status ?? 1
