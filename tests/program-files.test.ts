import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const LOADED_AT_ONCE = /(?<!=>)\brequire\([`'"]\.\/([^`'"]+)[`'"]\)/g

/** The files of the built program, each with the files that it loads at once: those behind an `import()` come later. */
const files = new Map(
  (existsSync('dist/cli.cjs') ? readdirSync('dist') : [])
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => [name, [...readFileSync(`dist/${name}`, 'utf8').matchAll(LOADED_AT_ONCE)].map(([, to]) => `${to}`)]),
)

describe.skipIf(files.size === 0)('the files of the built program', () => {
  test('load each other without a cycle, whose first would use what is not there yet', () => {
    const open: string[] = []
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (name: string): void => {
      if (open.includes(name)) cycles.push([...open.slice(open.indexOf(name)), name].join(' → '))
      if (open.includes(name) || done.has(name)) return
      open.push(name)
      for (const next of files.get(name) ?? []) visit(next)
      open.pop()
      done.add(name)
    }
    for (const name of files.keys()) visit(name)
    expect(cycles).toEqual([])
    expect(done.size).toBeGreaterThan(100)
  })

  test('never load the script of a thread, which would do its work on this one', () => {
    const isScript = (name: string) => name === 'cli.cjs' || name.endsWith('-worker.cjs')
    const loading = [...files].filter(([, loaded]) => loaded.some(isScript)).map(([name]) => name)
    expect(loading).toEqual([])
    expect([...files.keys()].filter(isScript)).toHaveLength(6)
  })
})
