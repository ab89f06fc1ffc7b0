import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder } from '../../tests/support/made-folder.ts'
import { Library } from '../disk/library.ts'
import { type ScanInput, scanForSecrets } from '../history/secrets.ts'

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`
const stripe = `sk${'_live_'}${'x9Y8z7W6'.repeat(3)}`

const row = (text: string, timestamp: string) =>
  `${JSON.stringify({ type: 'user', uuid: 'u', sessionId: 's1', cwd: '/code/api', timestamp, message: { role: 'user', content: text } })}\n`

const files = {
  'root/projects/-code-api/s1.jsonl':
    row('hello', '2026-11-01T00:00:00.000Z') +
    row(`use ${token}`, '2026-11-02T00:00:00.000Z') +
    `{"broken": "${stripe}"\n`,
  'root/projects/-code-api/s1/subagents/agent-a1.jsonl': row(`again ${token}`, '2026-11-03T00:00:00.000Z'),
  'root/projects/-code-api/s1/tool-results/out.txt': `é first\nKEY ${stripe}\n`,
  'root/projects/-code-web/s2.jsonl': row('clean', '2026-11-04T00:00:00.000Z'),
  'root/history.jsonl': `${JSON.stringify({ display: `try ${token}`, timestamp: 1_793_000_000_000, sessionId: 's9' })}\n`,
}

async function scan(folder: string, input: ScanInput = {}) {
  const library = new Library({ roots: [join(folder, 'root')] })
  const done: number[] = []
  const result = await scanForSecrets(
    {
      library,
      now: new Date('2026-11-15T12:00:00.000Z'),
      cwd: folder,
      home: folder,
      configDir: join(folder, 'config'),
      dataDir: join(folder, 'data'),
      currentSession: undefined,
      warn: () => {},
      progress: (bytes, total) => done.push(bytes / total),
    },
    input,
  )
  library.close()
  const items = result.items.map(({ kind, session, agent, where, file, line, offset, length }) => {
    return [kind, session, agent, where, file.split('/').at(-1), line, offset, length] as const
  })
  return { ...result, rows: items, done }
}

test('tells where every secret lies, and never shows one', async () => {
  await inFolder(files, async (folder) => {
    const { rows, done, ...result } = await scan(folder)
    const [first, second] = files['root/projects/-code-api/s1.jsonl'].split('\n').map((line) => line.length) as [
      number,
      number,
    ]
    const [github, other] = ['github-token', 'stripe-key']
    expect(rows).toEqual([
      [github, 's1', null, 'message.content', 's1.jsonl', 2, first + 1, second],
      [other, 's1', null, '', 's1.jsonl', 3, first + second + 2, 45],
      [github, 's1', 'a1', 'message.content', 'agent-a1.jsonl', 1, 0, expect.any(Number)],
      [other, 's1', null, '', 'out.txt', 2, 9, 36],
      [github, 's9', null, 'display', 'history.jsonl', 1, 0, expect.any(Number)],
    ])
    expect(result).toMatchObject({ sessions: 2, files: 5, bytesStored: null, problems: [] })
    expect(result.kinds).toEqual({ 'github-token': 3, 'stripe-key': 2 })
    expect(new Set(result.items.map(({ placeholder }) => placeholder)).size).toBe(2)
    expect(JSON.stringify(result)).not.toMatch(new RegExp(`${token.slice(4, 12)}|${stripe.slice(8, 16)}`))
    expect(done.at(-1)).toBe(1)
  })
})

test('looks at the sessions, the projects and the time that are meant', async () => {
  await inFolder(files, async (folder) => {
    expect((await scan(folder, { sessions: ['s2'] })).rows).toEqual([])
    expect((await scan(folder, { project: '-code-web' })).sessions).toBe(1)
    expect((await scan(folder, { sessions: ['s1'], since: '2026-11-03', until: '2026-11-03' })).rows).toHaveLength(1)
  })
})

test('takes the user’s own settings', async () => {
  const own = JSON.stringify({ allow: [token], patterns: [{ kind: 'greeting', pattern: 'hel(lo)' }] })
  await inFolder({ ...files, 'config/redact.json': own }, async (folder) => {
    expect((await scan(folder)).kinds).toEqual({ 'stripe-key': 2, greeting: 1 })
  })
  await inFolder({ ...files, 'config/redact.json': '[]' }, async (folder) => {
    await expect(scan(folder)).rejects.toThrow('redact.json cannot be used.')
  })
})

test('looks at every text that lies beside the logs, with its session where it has one', async () => {
  const beside = {
    'file-history/s1/0123456789abcdef@v1': ['0123456789abcdef@v1', 's1'],
    'paste-cache/ab12.txt': ['ab12.txt', null],
    'plans/brave-plan.md': ['brave-plan.md', null],
    'todos/s1-agent-s1.json': ['s1-agent-s1.json', 's1'],
    'tasks/s1/1.json': ['1.json', 's1'],
    'projects/-code-api/memory/MEMORY.md': ['MEMORY.md', null],
    'projects/-code-api/s1/subagents/agent-a1.meta.json': ['agent-a1.meta.json', 's1'],
  } as const
  const texts = Object.fromEntries(Object.keys(beside).map((path) => [`root/${path}`, `see "${token}"\n`]))
  const never = { 'root/.credentials.json': token, 'root/settings.json': token }
  await inFolder(
    { ...texts, ...never, 'root/projects/-code-api/s1.jsonl': row('clean', '2026-11-02T00:00:00Z') },
    async (folder) => {
      const told = async (input: ScanInput) =>
        (await scan(folder, input)).rows.map(([, session, , , file]) => [file, session]).sort()
      expect(await told({})).toEqual(Object.values(beside).toSorted())
      expect(await told({ sessions: ['s1'] })).toEqual(
        Object.values(beside)
          .filter(([, session]) => session === 's1')
          .toSorted(),
      )
    },
  )
})

test('says which rules looked, and a rule that is new finds what the others passed over', async () => {
  await inFolder({ ...files }, async (folder) => {
    const first = await scan(folder, { sessions: ['s2'] })
    mkdirSync(join(folder, 'config'))
    writeFileSync(
      join(folder, 'config/redact.json'),
      JSON.stringify({ patterns: [{ kind: 'word', pattern: 'clean' }] }),
    )
    const second = await scan(folder, { sessions: ['s2'] })
    expect([first.kinds, second.kinds]).toEqual([{}, { word: 1 }])
    expect(second.rules).not.toBe(first.rules)
  })
})
