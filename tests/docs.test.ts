import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandNamed, commands } from '../src/cli/commands.ts'
import { flagsOf, parseFlags } from '../src/cli/flags.ts'
import { reachedFrom } from '../src/cli/reached.ts'
import { splitCommand } from '../src/cli/terminal/pager.ts'
import { RECORD_TYPES } from '../src/core/log/record-types.ts'
import { NEWEST_TESTED } from '../src/core/log/version.ts'
import { loadAll, opLoaders, serviceLoaders } from '../src/ops/index.ts'
import type { Command } from '../src/ops/op.ts'
import { cliManual } from './cli-manual.ts'

const ops = await loadAll(opLoaders)
const services = await loadAll(serviceLoaders)

const format = readFileSync('docs/format.md', 'utf8')

const declared = { ...ops, ...services }

test('docs/cli.md is what the operations say', () => {
  const byName = Object.values(ops).sort((a, b) => (a.name < b.name ? -1 : 1))
  const manual = cliManual([...byName, ...Object.values(services)])
  if (process.env.UPDATE) writeFileSync('docs/cli.md', manual)
  expect(readFileSync('docs/cli.md', 'utf8')).toBe(manual)
  for (const op of Object.values(declared)) {
    expect(manual).toContain(`\n## ${op.name}\n`)
    for (const { name } of flagsOf(op)) expect(manual).toContain(`\`--${name}`)
    expect(op.summary, op.name).toMatch(/\.$/)
    expect(op.examples.length, op.name).toBeGreaterThan(0)
  }
})

describe('docs/format.md', () => {
  test('names the newest client version tested', () => expect(format).toContain(NEWEST_TESTED))

  for (const type of RECORD_TYPES) {
    test(`describes ${type}`, () => expect(format).toContain(`\`${type}\``))
  }
})

describe('links of a page lead to a page, and to a heading of it', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...['docs', 'docs/decisions'].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name}`),
    ),
  ]

  test.each(pages)('%s', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
    for (const link of links.map(([, there, picture]) => (there ?? picture) as string)) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = '', heading] = link.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      expect(existsSync(file), `${page}: ${link}`).toBe(true)
      if (heading) expect(headingsOf(file), `${page}: ${link}`).toContain(heading)
    }
  })

  test('docs/README.md names every page', () => {
    const index = readFileSync('docs/README.md', 'utf8')
    for (const page of readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md')) {
      expect(index).toContain(`](${page})`)
    }
  })

  /** As GitHub makes them: lower case, without punctuation, hyphens for spaces. */
  function headingsOf(file: string): string[] {
    return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  }
})

describe('what people are told to type works', () => {
  const names = ['find', 'changes', 'cost', 'keep', 'share', 'care', 'export', 'archive', 'edit', 'redaction']
  const pages = ['README.md', ...names.map((name) => `docs/${name}.md`)]
  const typed = (page: string) => {
    const fences = [...readFileSync(page, 'utf8').matchAll(/^```\n(.*?)^```/gms)].map(([, text]) => text as string)
    return fences.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('annals '))
  }

  test.each(pages)('on %s', async (page) => {
    expect(typed(page).length).toBeGreaterThan(3)
    for (const line of typed(page)) await mustBeTaken(line.replace(/ #.*| [|>].*/g, ''))
  })

  test('in the examples of every command', async () => {
    for (const { name, examples } of Object.values(declared) as readonly Command[]) {
      for (const line of examples.filter((one) => one.startsWith('annals '))) {
        await expect(mustBeTaken(line.replace(/ [|<>].*/g, '')), `${name}: ${line}`).resolves.toBeUndefined()
      }
    }
  })

  async function mustBeTaken(line: string): Promise<void> {
    const [, first, ...args] = splitCommand(line.trim())
    if (first === undefined) return
    const name = commandNamed(first)
    if (name === 'complete' || name === 'help') return
    const load = name === undefined ? undefined : commands[name]
    expect(load, line).toBeDefined()
    const reached = reachedFrom((await load?.()) as Command, args)
    parseFlags((await commands[reached.name]?.()) as Command, reached.args)
  }
})
