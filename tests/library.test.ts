import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDemoRoot } from '../src/testing/index.ts'

const examples = [
  ...readFileSync('docs/library.md', 'utf8').matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?```ts\n([\s\S]*?)```/gm),
].map(([, name, code]) => ({ name: name as string, code: code as string }))

// Inside the package, so that `annals` resolves to what a user would get.
const folder = join(import.meta.dirname, 'built-examples')
const root = mkdtempSync(join(tmpdir(), 'annals-library-'))

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeDemoRoot(root, new Date('2026-11-15T12:00:00Z'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(root, { recursive: true, force: true })
})

test('docs/library.md has its examples', () => expect(examples.length).toBeGreaterThanOrEqual(7))

describe.skipIf(!existsSync('dist/index.mjs'))('the examples of docs/library.md', () => {
  const paths = examples.map((_, i) => join(folder, `example-${i}.mts`))

  test('compile with the settings of a strict consumer', () => {
    examples.forEach(({ code }, i) => {
      writeFileSync(paths[i] as string, code)
    })
    expect(problemsOf(paths)).toEqual([])
  }, 180_000)

  for (const [i, { name, code }] of examples.entries()) {
    test(`run: ${name}`, () => {
      const run = join(folder, `example-${i}.mjs`)
      const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }
      writeFileSync(run, ts.transpileModule(code, { compilerOptions }).outputText)
      execFileSync(process.execPath, [run, root], { encoding: 'utf8', timeout: 30_000 })
    })
  }
})

describe.skipIf(!existsSync('dist/index.mjs'))('what an import loads', () => {
  test('the library keeps nothing running', () => {
    // Ends by itself, at once: nothing was opened, watched or started.
    const run = join(folder, 'import-only.mjs')
    writeFileSync(run, "await import('annals')\nawait import('annals/core')\nawait import('annals/testing')\n")
    expect(execFileSync(process.execPath, [run], { encoding: 'utf8', timeout: 10_000 })).toBe('')
  })

  test('the library loads neither the command line nor SQLite', () => {
    const texts = loadedBy('dist/index.mjs').map((path) => readFileSync(path, 'utf8'))
    for (const text of texts) expect(text).not.toMatch(/#region src\/(cli|ops|server|collector)\//)
  })

  test('the pure part loads nothing of Node', () => {
    for (const path of loadedBy('dist/core.mjs')) expect(readFileSync(path, 'utf8'), path).not.toMatch(/from ?"node:/)
  })
})

/** What the compiler says about the examples. */
function problemsOf(paths: readonly string[]): readonly string[] {
  const program = ts.createProgram(paths, {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
  })
  return ts.getPreEmitDiagnostics(program).map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
}

function loadedBy(path: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(path)) return [...seen]
  seen.add(path)
  for (const [, name] of readFileSync(path, 'utf8').matchAll(
    /^import .* from "(\.\/[^"]+)"|^export .* from "(\.\/[^"]+)"/gm,
  )) {
    if (name) loadedBy(join('dist', name), seen)
  }
  return [...seen]
}
