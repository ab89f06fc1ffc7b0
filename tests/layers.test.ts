import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Which folder of src/ may import which: the arrows of docs/architecture.md. Every folder may import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  disk: ['core'],
  net: [],
  state: ['core', 'disk'],
  archive: ['core', 'disk', 'state'],
  redact: ['core', 'disk', 'state'],
  index: ['core', 'disk', 'state'],
  edit: ['core', 'disk', 'state', 'archive', 'redact'],
  history: ['core', 'disk', 'state', 'index', 'archive', 'redact', 'edit'],
  export: ['core', 'disk', 'state', 'archive', 'redact', 'history'],
  collector: ['core', 'disk', 'net', 'state', 'index', 'archive', 'redact', 'history'],
  library: ['core', 'disk', 'state', 'history', 'export'],
  ops: ['core', 'disk', 'state', 'index', 'archive', 'redact', 'edit', 'history', 'export', 'collector'],
  server: ['core', 'disk', 'history', 'collector', 'net', 'ops', 'state'],
  cli: ['core', 'disk', 'history', 'collector', 'ops', 'server', 'state', 'testing'],
  testing: ['core'],
  web: ['core', 'ops'],
}

/** Packages that a folder may load; `node:` modules are for all but core and web. */
const MAY_LOAD: Readonly<Record<string, readonly string[]>> = {
  core: ['markdown-it'],
  disk: ['chokidar', 'yaml'],
  net: [],
  state: [],
  edit: [],
  index: [],
  history: ['@pydantic/genai-prices'],
  export: ['hyparquet-writer', 'markdown-it'],
  archive: [],
  redact: ['@secretlint/secretlint-rule-preset-recommend'],
  collector: ['@clickhouse/client', '@hono/node-server', 'hono', 'hyparquet', 'hyparquet-writer', 'postgres'],
  library: [],
  ops: [],
  server: ['@hono/node-server', 'hono'],
  cli: ['@bomb.sh/tab', '@leeoniya/ufuzzy', 'diff', 'markdown-it', 'string-width', 'wrap-ansi'],
  testing: [],
  web: ['@tanstack/react-query', '@tanstack/react-virtual', 'diff', 'highlight.js', 'react', 'react-dom'],
}

const MOST_FILES = 45

const src = resolve(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
  .map((path) => ({ path, folder: path.split('/')[0] as string, imports: importsOf(join(src, path)) }))

function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8')
  const found = [
    ...text.matchAll(
      /(?:^|\n)(?:import|export)[^'"\n]*(?:\{[^}]*\}[^'"\n]*)?from '([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
    ),
  ]
  return found.map((match) => (match[1] ?? match[2] ?? match[3]) as string)
}

/** The files of src/ that one needs to run when it is loaded. */
function valueImportsOf(path: string): readonly string[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const found = text.matchAll(
    /(?:^|\n)(?:import|export) (?!type )[^'"\n]*(?:\{[^}]*\}[^'"\n]*)?from '(\.[^']+\.tsx?)'/g,
  )
  return [...found].map((match) => match[1] as string)
}

test('src/ holds only the folders of the architecture and its entries', () => {
  const folders = new Set(files.map(({ folder }) => folder))
  expect([...folders].sort()).toEqual([...Object.keys(MAY_IMPORT), 'cli.ts', 'index.ts'].sort())
})

for (const { path, folder, imports } of files.filter((file) => Object.hasOwn(MAY_IMPORT, file.folder))) {
  test(`${path} imports only what its folder may`, () => {
    for (const name of imports) {
      if (name.startsWith('.')) {
        const target = targetOf(path, name)
        const isManifest = target === '../package.json' && folder === 'cli'
        if (isManifest) continue
        expect([folder, ...(MAY_IMPORT[folder] as readonly string[])], name).toContain(target.split('/')[0])
      } else if (name.startsWith('node:')) expect(['core', 'web'], name).not.toContain(folder)
      else expect(MAY_LOAD[folder], name).toContain(packageOf(name))
    }
  })
}

/** The file of src/ that an import names. */
function targetOf(path: string, name: string): string {
  return relative(src, resolve(src, dirname(path), name))
}

test('every package is one that some file loads', () => {
  const loaded = new Map(Object.keys(MAY_LOAD).map((folder) => [folder, new Set<string>()]))
  for (const { folder, imports } of files) for (const name of imports) loaded.get(folder)?.add(packageOf(name))
  const idle = Object.entries(MAY_LOAD).flatMap(([folder, names]) =>
    names.filter((name) => !loaded.get(folder)?.has(name)),
  )
  expect(idle).toEqual([])
})

test('every arrow is one that some file needs', () => {
  const used = new Map(Object.keys(MAY_IMPORT).map((folder) => [folder, new Set<string>()]))
  for (const { path, folder, imports } of files) {
    for (const name of imports.filter((one) => one.startsWith('.')))
      used.get(folder)?.add(targetOf(path, name).split('/')[0] as string)
  }
  const idle = Object.entries(MAY_IMPORT).flatMap(([folder, targets]) =>
    targets.filter((target) => !used.get(folder)?.has(target)).map((target) => `${folder} → ${target}`),
  )
  expect(idle).toEqual([])
})

/** The package of a module: `hono/streaming` is of `hono`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

test('web/ takes nothing but types from ops/: a browser runs none of it', () => {
  for (const { path } of files.filter(({ folder }) => folder === 'web')) {
    const text = readFileSync(join(src, path), 'utf8')
    expect(text, path).not.toMatch(/(?:^|\n)(?:import|export) (?!type )[^'"]*from '[^']*\/ops\/|import\('[^']*\/ops\//)
  }
})

test('ops/ holds operations alone, and none imports another', () => {
  const shared = ['ops/index.ts', 'ops/input.ts', 'ops/op.ts']
  const ops = files.filter(({ path, folder }) => folder === 'ops' && !shared.includes(path))
  for (const { path, imports } of ops) {
    expect(readFileSync(join(src, path), 'utf8'), path).toMatch(/= defineOp\(|satisfies Command\b/)
    const targets = imports.filter((name) => name.startsWith('.')).map((name) => targetOf(path, name))
    expect(
      targets.filter((target) => target.startsWith('ops/') && target !== 'ops/op.ts'),
      path,
    ).toEqual([])
  }
  expect(ops.length).toBeGreaterThan(30)
})

test('docs/architecture.md names only files that are there', () => {
  const text = readFileSync(join(src, '../docs/architecture.md'), 'utf8')
  const named = [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path]) => path as string)
  const others = [
    'tests/layers.test.ts',
    'tests/collector/sink-contract.ts',
    'tests/program-files.test.ts',
    'tsdown.config.ts',
  ]
  const known = [...files.map(({ path }) => `src/${path}`), ...others]
  expect(named.filter((path) => !known.some((one) => one === path || one.endsWith(`/${path}`)))).toEqual([])
  expect(named.length).toBeGreaterThan(100)
})

test('no folder holds more than 45 files: one that would has several ideas', () => {
  const folders = [...new Set(files.map(({ path }) => dirname(path)))]
  const sizeOf = (folder: string) => files.filter(({ path }) => dirname(path) === folder).length
  expect(folders.filter((folder) => sizeOf(folder) > MOST_FILES)).toEqual([])
})

test('no file imports values of itself by way of others', () => {
  const open = new Set<string>()
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string): void => {
    if (open.has(path)) cycles.push([...open].slice([...open].indexOf(path)).join(' → '))
    if (open.has(path) || done.has(path)) return
    open.add(path)
    for (const name of valueImportsOf(join(src, path))) {
      // A conversation shows cards of agents, and such a card their conversation.
      if (name !== './nested-conversation.tsx') visit(targetOf(path, name))
    }
    open.delete(path)
    done.add(path)
  }
  for (const { path } of files) visit(path)
  expect(cycles).toEqual([])
})

test('only index/ and the stores use the SQLite driver, so SQL stands nowhere else', () => {
  const users = files.filter(({ path, imports }) => imports.some((name) => targetOf(path, name) === 'index/driver.ts'))
  const outside = users.filter(({ folder }) => folder !== 'index' && folder !== 'collector')
  expect(outside.map(({ path }) => path)).toEqual([])
  expect(users.length).toBeGreaterThan(20)
})

test('JSON.parse of logs stands in one function', () => {
  const users = files.filter(({ path }) => readFileSync(join(src, path), 'utf8').includes('JSON.parse('))
  expect(users.map(({ path }) => path)).toEqual(['core/json.ts'])
})

test('only the ways in, cli/ and library/, read the environment and the arguments', () => {
  const users = files.filter(({ path }) => /process\.(env|argv)/.test(readFileSync(join(src, path), 'utf8')))
  expect([...new Set(users.map(({ folder }) => folder))].sort()).toEqual(['cli', 'cli.ts', 'library'])
})
