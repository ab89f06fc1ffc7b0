import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Choices } from '../src/collector/choices.ts'
import { effectiveChoices } from '../src/collector/effective-choices.ts'
import { managedSettingsFile } from '../src/collector/managed-files.ts'
import type { CollectAsked } from '../src/collector/run/shape.ts'
import { readCollectSettings, readManagedSettings } from '../src/collector/settings.ts'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { LOG, line, type MadeRoot, withRoot } from './collector/made-root.ts'

const cli = resolve(import.meta.dirname, '../dist/cli.cjs')

/** What holds for flags, the settings of a person, and those of the machine. */
function effective(flags: CollectAsked, own: object, managed: readonly object[], isOwnFolder = true) {
  const { path, remove } = temporaryFolder()
  try {
    writeFileSync(join(path, 'collect.json'), JSON.stringify(own))
    const layers = managed.flatMap((value, number) => {
      const file = join(path, `managed-${number}.json`)
      writeFileSync(file, JSON.stringify(value))
      const settings = readManagedSettings(file)
      return settings ? [{ file: `managed-${number}`, settings }] : []
    })
    const user = { file: 'collect.json', settings: readCollectSettings(path) }
    return effectiveChoices(flags, user, layers, isOwnFolder)
  } finally {
    remove()
  }
}

describe('a managed file', () => {
  test.each<[string, CollectAsked, object, object[], Partial<Choices>]>([
    ['limits a flag', { content: 'all' }, {}, [{ content: 'none' }], { content: 'none' }],
    ['limits the file of a person', {}, { content: 'all', user: 'real' }, [{ user: 'none' }], { user: 'none' }],
    ['limits the default', {}, {}, [{ content: 'prompts' }], { content: 'prompts', toolNames: false }],
    [
      'widens nothing',
      { content: 'none', user: 'none' },
      {},
      [{ content: 'all', user: 'real' }],
      { content: 'none', user: 'none' },
    ],
    ['lets nobody name paths', { content: 'all' }, {}, [{ paths: 'hashed' }], { content: 'prompts', paths: 'hashed' }],
    [
      'adds up with another',
      { content: 'all' },
      {},
      [{ content: 'prompts' }, { content: 'none' }],
      { content: 'none' },
    ],
    [
      'and its order do not matter',
      { content: 'all' },
      {},
      [{ content: 'none' }, { content: 'prompts' }],
      { content: 'none' },
    ],
    ['forbids outputs', { 'tool-results': true }, {}, [{ toolResults: false }], { content: 'all', toolResults: false }],
    [
      'forbids outputs with all content',
      { 'tool-results': true },
      {},
      [{ content: 'none' }],
      { content: 'none', toolResults: false },
    ],
    [
      'allows outputs that it says nothing of',
      { 'tool-results': true },
      {},
      [{ content: 'all' }],
      { toolResults: true },
    ],
    ['forbids lengths', { content: 'none', lengths: true }, {}, [{ lengths: false }], { lengths: false }],
  ])('%s', (_, flags, own, managed, expected) => {
    expect(effective(flags, own, managed).choices).toMatchObject(expected)
  })

  test('is named where it holds, with what was chosen', () => {
    const { sources } = effective({ content: 'all' }, { user: 'real' }, [{ content: 'none' }], false)
    expect(sources).toEqual(
      expect.arrayContaining([
        { name: 'content', value: 'none', from: 'managed-0', limited: 'all (--content)' },
        { name: 'user', value: 'real', from: 'collect.json', limited: null },
        { name: 'paths', value: 'hashed', from: 'default', limited: null },
      ]),
    )
  })

  test('lies where the system keeps what holds for everybody', () => {
    expect(managedSettingsFile('linux', undefined)).toBe('/etc/annals/collect.json')
    expect(managedSettingsFile('darwin', undefined)).toBe('/Library/Application Support/annals/collect.json')
    expect(managedSettingsFile('win32', 'D:\\Data')).toBe('D:\\Data\\annals\\collect.json')
  })
})

describe('the installed service', () => {
  test(
    'follows a managed file that is tightened while it runs, and the file of the person',
    () =>
      withRoot({ [LOG]: line(1, 'first words') }, async (made) => {
        const place = placeOf(made)
        const installed = annals(place, ['collect', 'install', '--to', `folder:${place.to}`, '--content', 'all'])
        expect(installed).toMatchObject({ status: 0 })
        expect(JSON.parse(readFileSync(join(place.home, 'collect.json'), 'utf8'))).toEqual({ content: 'all' })
        const { words, env } = unitOf(place)
        expect(words).not.toContain('--content')
        const child = spawn(words[0] as string, words.slice(1), { env: { ...envOf(place), ...env }, stdio: 'ignore' })
        try {
          const contents = async (rows: number) => {
            for (let waited = 0; (await rowsIn(place.to)).length < rows && waited < 30_000; waited += 100)
              await sleep(100)
            return (await rowsIn(place.to)).map(({ content }) => Buffer.from(content).toString('utf8')).join('\n')
          }
          expect(await contents(1)).toContain('first words')
          writeFileSync(place.managed, JSON.stringify({ content: 'prompts' }))
          appendFileSync(join(made.root, LOG), line(2, 'second words', REPLY))
          expect(await contents(2)).not.toContain('second words')
          writeFileSync(join(place.home, 'collect.json'), JSON.stringify({ content: 'none' }))
          appendFileSync(join(made.root, LOG), line(3, 'third words'))
          expect(await contents(3)).not.toContain('third words')
          const { stdout } = annals(place, ['collect', 'status', '--to', `folder:${place.to}`, '--content', 'all'])
          expect(stdout).toMatch(/content +prompts +.*managed\.json, allows no more; not all \(--content\)/)
          expect(stdout).toMatch(/user +real +default/)
        } finally {
          await stopped(child)
        }
      }),
    120_000,
  )
})

const REPLY = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'second words' }] } }

function placeOf({ folder, root }: MadeRoot) {
  const home = join(folder, 'annals-home')
  mkdirSync(home, { recursive: true })
  return { folder, root, home, to: join(folder, 'to'), managed: join(folder, 'managed.json') }
}

type Place = ReturnType<typeof placeOf>

function envOf({ folder, root, home, managed }: Place): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ANNALS_HOME: home,
    CLAUDE_CONFIG_DIR: root,
    ANNALS_MANAGED_SETTINGS: managed,
    TZ: 'UTC',
  }
}

function annals(place: Place, args: readonly string[]) {
  return spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', env: envOf(place) })
}

/** What the unit would have the system run. */
function unitOf({ folder }: Place): { readonly words: readonly string[]; readonly env: Record<string, string> } {
  const unit = readFileSync(join(folder, '.config/systemd/user/annals-collect.service'), 'utf8')
  const words = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').split(' ').map((word) => word.replace(/^"(.*)"$/, '$1'))
  const set = [...unit.matchAll(/^Environment="?([^="]+)=([^"\n]*)"?$/gm)].map(([, name, value]) => [name, value])
  return { words, env: Object.fromEntries(set) }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
