import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Which folder of src/ may import which: the arrows of docs/architecture.md. Every folder may import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  disk: ['core'],
  store: ['core', 'disk'],
  ops: ['core', 'disk', 'store'],
  cli: ['core', 'disk', 'ops'],
  testing: ['core'],
}

/** Packages that a folder may load; `node:` modules are for all but core. */
const MAY_LOAD: Readonly<Record<string, readonly string[]>> = {
  core: ['typebox'],
  disk: ['chokidar', 'yaml'],
  store: [],
  ops: ['@pydantic/genai-prices', 'typebox'],
  cli: ['@bomb.sh/tab', 'ansis', 'diff', 'markdown-it', 'string-width', 'typebox', 'wrap-ansi'],
  testing: [],
}

const src = resolve(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
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

test('src/ holds only the folders of the architecture and its entries', () => {
  const folders = new Set(files.map(({ folder }) => folder))
  expect([...folders].sort()).toEqual([...Object.keys(MAY_IMPORT), 'cli.ts', 'index.ts'].sort())
})

for (const { path, folder, imports } of files.filter((file) => Object.hasOwn(MAY_IMPORT, file.folder))) {
  test(`${path} imports only what its folder may`, () => {
    for (const name of imports) {
      if (name.startsWith('.')) {
        const target = relative(src, resolve(src, dirname(path), name))
        const isManifest = target === '../package.json' && folder === 'cli'
        if (isManifest) continue
        expect([folder, ...(MAY_IMPORT[folder] as readonly string[])], name).toContain(target.split('/')[0])
      } else if (name.startsWith('node:')) expect(folder, name).not.toBe('core')
      else expect(MAY_LOAD[folder], name).toContain(name)
    }
  })
}

test('JSON.parse of logs stands in one function', () => {
  const users = files.filter(({ path }) => readFileSync(join(src, path), 'utf8').includes('JSON.parse('))
  expect(users.map(({ path }) => path)).toEqual(['core/json.ts'])
})

test('only cli/ reads the environment and the arguments', () => {
  const users = files.filter(({ path }) => /process\.(env|argv)/.test(readFileSync(join(src, path), 'utf8')))
  expect([...new Set(users.map(({ folder }) => folder))].sort()).toEqual(['cli', 'cli.ts'])
})
