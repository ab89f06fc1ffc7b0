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

describe.skipIf(!existsSync('dist/index.mjs'))('the examples of docs/library.md compile and run', () => {
  for (const [i, { name, code }] of examples.entries()) {
    test(name, () => {
      const path = join(folder, `example-${i}.mts`)
      writeFileSync(path, code)
      expect(problemsOf(path)).toEqual([])
      const run = join(folder, `example-${i}.mjs`)
      writeFileSync(
        run,
        ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } })
          .outputText,
      )
      execFileSync(process.execPath, [run, root], { encoding: 'utf8', timeout: 30_000 })
    })
  }

  test('importing the library loads neither the command line nor anything that does work', () => {
    const code =
      "import('annals').then(() => console.log(process.getActiveResourcesInfo().filter((r) => r !== 'TTYWrap' && r !== 'PipeWrap').length))"
    const run = join(folder, 'import-only.mjs')
    writeFileSync(run, code)
    expect(execFileSync(process.execPath, [run], { encoding: 'utf8' }).trim()).toBe('0')
    expect(
      loadedBy('dist/index.mjs').some((path) =>
        /markdown|terminal|ansis|commands/.test(readFileSync(path, 'utf8').slice(0, 400)),
      ),
    ).toBe(false)
  })
})

/** What the compiler says about an example, with the settings a strict consumer would use. */
function problemsOf(path: string): readonly string[] {
  const program = ts.createProgram([path], {
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
