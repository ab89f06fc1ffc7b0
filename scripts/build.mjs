// Builds dist/: the bundles and their types, the browser app, packed as browsers take it, and the JSON Schemas of records,
// documents and operations.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

for (const args of [['node_modules/tsdown/dist/run.mjs'], ['node_modules/vite/bin/vite.js', 'build']]) {
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 2)
}

packFiles('dist/web')

const { documentSchemas, recordSchemas } = await import('../dist/format.mjs')
const { loadAll, opLoaders, serviceLoaders } = await import('../dist/ops.cjs')
rmSync('dist/schemas', { recursive: true, force: true })
writeSchemas('records', recordSchemas)
writeSchemas('documents', documentSchemas)
const commands = Object.values(await loadAll({ ...opLoaders, ...serviceLoaders }))
writeSchemas('operations', Object.fromEntries(commands.map((op) => [op.name, op.result])))
chmodSync('dist/cli.cjs', 0o755)

function writeSchemas(folder, schemas) {
  mkdirSync(`dist/schemas/${folder}`, { recursive: true })
  for (const [name, schema] of Object.entries(schemas)) {
    const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: name, ...schema }
    writeFileSync(`dist/schemas/${folder}/${name}.json`, `${JSON.stringify(document, null, 2)}\n`)
  }
}

/** Beside each file of the app, the same as brotli and as gzip. */
function packFiles(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|html|svg)$/.test(name)) continue
    const path = join(folder, name)
    const bytes = readFileSync(path)
    writeFileSync(`${path}.br`, brotliCompressSync(bytes))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
