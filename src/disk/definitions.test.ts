import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { readDefinitions } from './definitions.ts'

test('reads commands, skills and agents', () => {
  const files = {
    'commands/git/commit.md': '---\ndescription: Commits\nallowed-tools: [Bash, Read]\n---\nDo $ARGUMENTS\n',
    'commands/plain.md': 'No front matter',
    'skills/pdf/SKILL.md': '---\r\nname: PDF tools\r\ndescription: >\r\n  Two\r\n  lines\r\n---\r\nBody',
    'agents/file.md': '---\nname: reviewer\n---\n',
    'skills/pdf/reference.md': 'not a skill',
  }
  withFolder(files, (root) => {
    const { items, warnings } = readDefinitions(root)
    expect(warnings).toEqual([])
    expect(items).toMatchObject([
      { kind: 'command', name: 'git:commit', description: 'Commits', body: 'Do $ARGUMENTS\n', group: null },
      { kind: 'command', name: 'plain', description: null, body: 'No front matter', frontMatter: {} },
      { kind: 'skill', name: 'pdf', description: 'Two lines\n', body: 'Body' },
      { kind: 'agent', name: 'reviewer', description: null, body: '' },
    ])
    expect(items[0]?.frontMatter['allowed-tools']).toEqual(['Bash', 'Read'])
    expect(items[0]?.path).toBe(join(root, 'commands', 'git', 'commit.md'))
  })
})

test('groups what shares its first word', () => {
  const names = ['git/commit', 'git-push', 'git_pull', 'gitk', 'lone-word', '-x', '-y', 'git']
  withFolder(Object.fromEntries(names.map((name) => [`commands/${name}.md`, 'x'])), (root) => {
    const groups = new Map(readDefinitions(root).items.map(({ name, group }) => [name, group]))
    expect(groups).toEqual(
      new Map([
        ['git:commit', 'git'],
        ['git-push', 'git'],
        ['git_pull', 'git'],
        ['gitk', null],
        ['lone-word', null],
        ['-x', null],
        ['-y', null],
        ['git', null],
      ]),
    )
  })
})

test('reads a description with a colon in it, which is not YAML', () => {
  const text = '---\nname: "tester"\ndescription: Use it when: asked. Example: <x>\n---\nBody'
  withFolder({ 'agents/a.md': text }, (root) => {
    const { items, warnings } = readDefinitions(root)
    expect(items).toMatchObject([{ name: 'tester', description: 'Use it when: asked. Example: <x>', body: 'Body' }])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toContain('could not be read as YAML')
  })
})

test.each([
  ['---\n- a list\n---\nBody', {}, 'Body', 1],
  ['---\n---\nBody', {}, 'Body', 0],
  ['---\n# a comment\n---\nBody', {}, 'Body', 0],
  ['---\nnever: closed', {}, '---\nnever: closed', 0],
  ['', {}, '', 0],
  ['---\ndescription: [1, 2]\n---\n', { description: [1, 2] }, '', 0],
  ['---\na: &a [*a]\n---\nBody', { a: '&a [*a]' }, 'Body', 1],
  [`---\n# ${'x'.repeat(70_000)}\na: b\n---\nBody`, { a: 'b' }, 'Body', 1],
  ['---\na: 1\na: 2\n---\nBody', { a: 2 }, 'Body', 0],
  [`---\na: ${'['.repeat(20_000)}\n---\nBody`, { a: '['.repeat(20_000) }, 'Body', 1],
])('reads the odd front matter %#', (text, frontMatter, body, warningCount) => {
  withFolder({ 'commands/a.md': text }, (root) => {
    const { items, warnings } = readDefinitions(root)
    expect(items).toMatchObject([{ name: 'a', description: null, body }])
    expect(items[0]?.frontMatter).toEqual(frontMatter)
    expect(warnings).toHaveLength(warningCount)
  })
})

test('a field named __proto__ pollutes nothing', () => {
  withFolder({ 'commands/a.md': '---\n__proto__: { description: bad }\n---\n' }, (root) => {
    expect(readDefinitions(root).items[0]?.description).toBeNull()
  })
})

test.skipIf(process.platform === 'win32')('follows links only when allowed, and no loop', () => {
  withFolder(
    { 'elsewhere/SKILL.md': 'linked', root: null, 'root/skills': null, 'root/commands/a.md': 'x' },
    (folder) => {
      const root = join(folder, 'root')
      symlinkSync(join(folder, 'elsewhere'), join(root, 'skills', 'linked'))
      symlinkSync('..', join(root, 'commands', 'up'))
      symlinkSync(join(folder, 'elsewhere', 'SKILL.md'), join(root, 'commands', 'b.md'))
      const strict = readDefinitions(root)
      expect(strict.items.map((item) => item.name)).toEqual(['a'])
      expect(strict.warnings).toHaveLength(3)
      const following = readDefinitions(root, { followLinks: true })
      expect(following.warnings).toEqual([])
      expect(following.items.filter(({ kind }) => kind === 'skill').map(({ name }) => name)).toEqual(['linked'])
      expect(following.items.filter(({ name }) => name === 'a' || name === 'b')).toHaveLength(2)
    },
  )
})

test.each([
  [{}, 0],
  [{ commands: null, skills: null, agents: null }, 0],
  [{ commands: 'x', skills: 'x', agents: 'x' }, 3],
  [{ 'commands/a.md': null, 'skills/s/SKILL.md': null, 'skills/none': null }, 2],
])('finds no definition in %j', (files, warningCount) => {
  withFolder(files, (root) => {
    const { items, warnings } = readDefinitions(root)
    expect(items).toEqual([])
    expect(warnings).toHaveLength(warningCount)
  })
})
