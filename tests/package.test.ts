import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../src/testing/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-package-'))
const root = join(folder, 'root')
const project = join(folder, 'project')
const program = `
import { openHistory, priceOf, sumUsage, type BilledCall, type Session } from 'annals'
import { readLog, type LogContents } from 'annals/core'
import { diskSource, type Cursor } from 'annals/disk'
import { recordSchemas, type RowTypes } from 'annals/format'
import { log } from 'annals/testing'

export const cursors: Cursor[] = []
export const prompt = (row: RowTypes['user']) => row.message.content
export const contents: LogContents = readLog(new TextEncoder().encode(log().user('hi').rows().map((row) => JSON.stringify(row)).join('\\n')))

export async function main(root: string): Promise<string[]> {
  const history = await openHistory({ roots: [root] })
  const lines: string[] = [String(Object.keys(recordSchemas).length > 10), String([...diskSource([root]).list()].length)]
  for await (const session of history.sessions()) lines.push(await lineOf(session))
  await history.close()
  return lines
}

async function lineOf(session: Session): Promise<string> {
  const calls: readonly BilledCall[] = await session.usage({ agents: true })
  return \`\${session.info.title} \${sumUsage(calls).responses} \${priceOf(calls).unpriced}\`
}
`

/** No messages of npm about itself. */
const NPM_QUIET = {
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_ignore_scripts: 'true',
}

const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd, encoding: 'utf8' })

describe.skipIf(!existsSync('dist/index.mjs'))('the package, installed into an empty project', () => {
  beforeAll(() => {
    mkdirSync(project)
    const made = log({ cwd: '/home/ana/api' }).user('Fix the race').assistant('Fixed.').assistant('Really.')
    newRoot().add(made).write(root)
    writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
    npm(['pack', '--pack-destination', folder], process.cwd())
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    npm(['install', '--prefer-offline', join(folder, tarball as string)], project)
    writeFileSync(join(project, 'program.ts'), program)
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('brings nothing with it but SQLite and ripgrep', () => {
    const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(installed.sort()).toEqual(['@photostructure', '@vscode', 'annals', 'node-addon-api', 'node-gyp-build'])
    expect(readdirSync(join(project, 'node_modules/annals')).sort()).toEqual(
      ['LICENSE', 'README.md', 'bin', 'dist', 'docs', 'package.json'].filter(
        (name) => name !== 'LICENSE' || existsSync('LICENSE'),
      ),
    )
  })

  test('has every picture that its README shows', () => {
    const readme = readFileSync(join(project, 'node_modules/annals/README.md'), 'utf8')
    const pictures = [...readme.matchAll(/(?:\]\(|src(?:set)?=")([^)"]+\.(?:png|svg))/g)].map(
      ([, path]) => path as string,
    )
    expect(pictures.length).toBeGreaterThan(2)
    for (const path of pictures) expect(existsSync(join(project, 'node_modules/annals', path)), path).toBe(true)
  })

  test.each([
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
    ['node16', ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16],
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  ])('is understood by TypeScript under %s, every line of its types checked', (_, module, moduleResolution) => {
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      module,
      moduleResolution,
      target: ts.ScriptTarget.ES2023,
      // No other types: only what the package names itself.
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
      types: [],
      skipLibCheck: false,
    }
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([join(project, 'program.ts')], options))
    expect(problems.map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'))).toEqual([])
  })

  test('runs by npx in an empty home, offline, and leaves nothing there', () => {
    const home = join(folder, 'empty-home')
    const cache = join(folder, 'npm-cache')
    mkdirSync(home)
    // Else npm takes the nearest folder above that looks like a project for the one that paths are told from.
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    const npx = (more: readonly string[], env: Readonly<Record<string, string>>) =>
      execFileSync('npx', ['-y', ...more, `./${tarball}`, 'sessions', '--demo'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, ...NPM_QUIET, npm_config_cache: cache, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    // The first fills the cache, with what this machine needs to reach a registry; the second gets no further than that.
    npx(['--prefer-offline'], {})
    rmSync(join(cache, '_npx'), { recursive: true, force: true })
    const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', stdio: 'pipe' }).trim()
    const shown = npx(['--offline'], { HOME: home, npm_config_registry: registry })
    expect(shown).toContain('Fix token refresh race')
    expect(readdirSync(home)).toEqual([])
  }, 180_000)

  test('runs, as a library and as a program', () => {
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
    writeFileSync(join(project, 'program.mjs'), ts.transpileModule(program, { compilerOptions: options }).outputText)
    const run = (args: readonly string[]) =>
      execFileSync(process.execPath, args, {
        cwd: project,
        encoding: 'utf8',
        env: { ...process.env, ANNALS_HOME: join(folder, 'home') },
      })
    const asked = `import('./program.mjs').then(async ({ main }) => console.log(await main(${JSON.stringify(root)})))`
    expect(run(['-e', asked])).toBe("[ 'true', '1', 'Fix the race 2 0' ]\n")
    expect(run(['node_modules/annals/dist/cli.cjs', 'sessions', '--root', root])).toContain('Fix the race')
  })
})
