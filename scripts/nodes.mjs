// Runs the tests on other versions of Node, all of them or those that are named: `npm run test:nodes -- 24.21.0 src/core`.
// These are large, so they are installed into a temporary folder, on demand.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const named = process.argv.slice(2)
const isVersion = (name) => /^\d+\.\d+\.\d+$/.test(name)
const versions = named.some(isVersion) ? named.filter(isVersion) : ['20.19.0', '22.23.3', '24.21.0']
const tests = named.filter((name) => !isVersion(name))
const platform = `${process.platform}-${process.arch}`
const failed = []
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), 'annals-node-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    console.log(`\n▸ Node ${version}`)
    const installed = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', `node-${platform}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const node = join(folder, `node_modules/node-${platform}/bin/node`)
    const tested =
      installed.status === 0
        ? spawnSync(
            node,
            [
              'node_modules/vitest/vitest.mjs',
              'run',
              ...tests,
              '--reporter=dot',
              '--reporter=./scripts/closing-line.mjs',
            ],
            { stdio: 'inherit' },
          )
        : installed
    if (tested.status !== 0) failed.push(version)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(failed.length === 0 ? `All pass on ${versions.join(', ')}.` : `Failed on ${failed.join(', ')}.`)
process.exit(failed.length === 0 ? 0 : 1)
