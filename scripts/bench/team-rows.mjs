// Rows as collectors make them, for measuring stores; and parts of the source that the package does not export.
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsdown'

const BATCH = { rows: 2_000, bytes: 4 * 1024 * 1024 }
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const NEEDED = {
  row: '../../src/collector/record-row.ts',
  disk: '../../src/disk/disk-source.ts',
  logs: '../../src/disk/log-file.ts',
  testing: '../../src/testing/index.ts',
}

/** Modules of the source by name, built into a folder. */
export async function bundled(dir, wanted) {
  const outDir = join(dir, 'parts')
  mkdirSync(outDir)
  symlinkSync(here('../../node_modules'), join(dir, 'node_modules'), 'junction')
  const entry = Object.fromEntries(Object.entries({ ...NEEDED, ...wanted }).map(([name, path]) => [name, here(path)]))
  await build({
    config: false,
    dts: false,
    format: 'esm',
    platform: 'node',
    fixedExtension: true,
    entry,
    outDir,
    cwd: here('../..'),
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    logLevel: 'error',
  })
  const loaded = await Promise.all(
    Object.keys(entry).map(async (name) => [name, await import(pathToFileURL(join(outDir, `${name}.mjs`)).href)]),
  )
  return Object.fromEntries(loaded)
}

/** The rows of a root, made as the collector makes them but unmasked: masking is measured elsewhere. */
export function makeRows(parts, root, content) {
  const redactor = { text: (text) => ({ text }), value: (value) => ({ value }) }
  const names = { path: (path) => path, file: (path) => path, user: (user) => user }
  const maker = { machine: 'bench-machine', user: 'ana', content, realPaths: true, names, redactor }
  const source = parts.disk.diskSource([root])
  const rows = []
  for (const entry of source.list()) {
    if (!entry.path.endsWith('.jsonl')) continue
    const below = relative(root, entry.path)
    const [, project, session] = below.split('/')
    const file = {
      file: below,
      generation: 1,
      kind: 'log',
      project,
      session: session.replace('.jsonl', ''),
      agent: null,
    }
    for (const record of parts.logs.streamRecords(source, entry)) rows.push(parts.row.rowOf(maker, file, record))
  }
  source.close()
  return rows
}

/** Rows in batches as large as the collector makes them. */
export function cut(rows, machine) {
  const batches = []
  let part = []
  let bytes = 0
  const finish = () => {
    if (part.length === 0) return
    const marks = new Map(part.map((row) => [row.file, { ...row, offset: row.offset + row.length + 1, cursor: null }]))
    batches.push({
      id: String(batches.length),
      machine,
      rows: part,
      documents: [],
      marks: [...marks.values()],
      tombstones: [],
    })
    part = []
    bytes = 0
  }
  for (const row of rows) {
    part.push(row)
    bytes += row.content.length
    if (part.length >= BATCH.rows || bytes >= BATCH.bytes) finish()
  }
  finish()
  return batches
}
