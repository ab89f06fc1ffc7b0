import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAll, opLoaders } from '../../src/ops/index.ts'
import { log } from '../../src/testing/index.ts'
import { inParallel, jsonOf, type Served, sendRaw, serveDemo } from './served.ts'

const ops = await loadAll(opLoaders)

let served: Served
let secret: string
const SECRET = 'the-secret-outside-of-the-root'

beforeAll(async () => {
  served = await serveDemo()
  // A log that could be read, if only it were not outside of every root.
  const elsewhere = join(served.folder, 'elsewhere')
  mkdirSync(elsewhere)
  secret = join(elsewhere, 'secret.jsonl')
  writeFileSync(
    secret,
    log({ cwd: `/${SECRET}`, seed: 'secret' })
      .user(SECRET)
      .assistant(SECRET)
      .content(),
  )
})
afterAll(() => served.remove())

/** Ways to say `/etc/passwd`, or the secret, in an address. */
function traversals(): readonly string[] {
  const up = '../'.repeat(8)
  const ways = [
    `${up}etc/passwd`,
    `..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd`,
    '%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '%252e%252e/%252e%252e/etc/passwd',
    '%252e%252e%252f%252e%252e%252fetc%252fpasswd',
    '..%252f..%252fetc%252fpasswd',
    '..\\..\\..\\etc\\passwd',
    '..%5c..%5c..%5cetc%5cpasswd',
    '..%255c..%255cetc%255cpasswd',
    '....//....//....//etc/passwd',
    '..;/..;/..;/etc/passwd',
    '..%00/etc/passwd',
    'index.html%00.js',
    '%00',
    '/etc/passwd',
    '//etc/passwd',
    '///etc/passwd',
    '//evil.example/share/x',
    '%2fetc%2fpasswd',
    '/%2fetc%2fpasswd',
    'file:///etc/passwd',
    'file%3a%2f%2f%2fetc%2fpasswd',
    'C:/Windows/win.ini',
    'C:%5cWindows%5cwin.ini',
    'c%3a%5cwindows%5cwin.ini',
    '%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd',
    '%c0%ae%c0%ae%c0%afetc%c0%afpasswd',
    '%e0%80%ae%e0%80%ae/etc/passwd',
    '..%c0%af..%c0%afetc/passwd',
    '%uff0e%uff0e/etc/passwd',
    '．．/etc/passwd'.replaceAll('．', '%ef%bc%8e'),
    '@fs/etc/passwd',
    '@fs/etc/passwd?raw??',
    'index.html?raw??',
    'assets/../../../../etc/passwd',
    'assets/..%2f..%2fpackage.json',
    'assets/%2e%2e/%2e%2e/package.json',
    'assets/index-Ab12.js/..%2f..%2f..%2fetc%2fpasswd',
    '.git/config',
    '.env',
    '~/.ssh/id_ed25519',
    '%7e/.ssh/id_ed25519',
    'proc/self/environ',
    'dev/stdin',
    'root/history.jsonl',
    'CON',
  ]
  return ways
}

test('no address leads to a file that was not listed', async () => {
  const { port, token } = served.server
  expect(traversals().length).toBeGreaterThanOrEqual(40)
  const starts = ['/', '/assets/', '/s/', '/api/', '/usage/receipt/']
  const jobs = traversals().flatMap((way) => starts.map((start) => start + way))
  await inParallel(jobs, async (path) => {
    const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`]
    const answer = await sendRaw(port, [...lines, 'Connection: close'])
    // An address may still come to one of the app's own pages, once its dots are resolved; never to anything else.
    const isPage = answer.status === 200 && answer.text.includes('the app')
    if (!isPage) expect([400, 404], path).toContain(answer.status)
    expect(answer.text, path).not.toMatch(/root:|\[fonts\]|"name": "annals"|HOME=/)
  })
})

test('a name in an address is a name: one that could be a path leads nowhere', async () => {
  for (const name of ['..%2f..%2fetc%2fpasswd', '%252e%252e', 'a%5cb', 'a%00b', '...', '%2fetc%2fpasswd']) {
    expect((await served.get(`/s/${name}`)).status, name).toBe(404)
  }
})

describe('a path in the input', () => {
  test('of any operation, in any field, opens nothing outside of the roots', async () => {
    const values = [
      secret,
      '/etc/passwd',
      join(served.folder, 'elsewhere'),
      'elsewhere/secret.jsonl',
      './elsewhere/secret.jsonl',
      `${served.root}/../elsewhere/secret.jsonl`,
      `${served.root}/projects/../../elsewhere/secret.jsonl`,
      `file://${secret}`,
    ]
    const jobs = Object.values(ops)
      .filter((op) => !('changes' in op))
      .flatMap((op) => {
        const { properties, required = [] } = op.input as {
          properties: Record<string, { type?: string; items?: { type?: string } }>
          required?: readonly string[]
        }
        const texts = Object.keys(properties).filter(
          (name) => (properties[name]?.items ?? properties[name])?.type === 'string',
        )
        return texts.flatMap((name) =>
          values.map((value) => {
            const query = new URLSearchParams([[name, value]])
            for (const other of required) if (other !== name) query.set(other, 'last')
            if (Object.hasOwn(properties, 'offset')) query.set('offset', '0')
            return { name, path: `/api/${op.name}?${query}` }
          }),
        )
      })
    expect(jobs.length).toBeGreaterThan(200)
    await inParallel(jobs, async ({ name, path }) => {
      const answer = await served.get(path)
      const text = await answer.text()
      expect([200, 400, 404], path).toContain(answer.status)
      expect(text, path).not.toContain(SECRET)
      expect(text, path).not.toContain('root:x:')
      if (['session', 'what', 'paths'].includes(name) && !/\/api\/(search|record)/.test(path))
        expect(answer.status, path).toBe(404)
    })
  })

  test('does not tell whether there is such a file', async () => {
    const sentence = async (path: string) => {
      const { error } = await jsonOf(served.get(`/api/show?session=${encodeURIComponent(path)}`))
      return error.message.replace(path, 'X')
    }
    expect(await sentence(secret)).toBe(await sentence(`${secret}.no.jsonl`))
  })

  test('is taken where a root holds it', async () => {
    const { items } = await jsonOf(served.get('/api/sessions?limit=1'))
    const [{ file, id, root }] = items
    const shown = await jsonOf(served.get(`/api/tree?session=${encodeURIComponent(file)}`))
    expect(shown.session).toBe(id)
    for (const path of [file, root]) {
      const { summary } = await jsonOf(served.get(`/api/check?paths=${encodeURIComponent(path)}`))
      expect(summary.files).toBeGreaterThan(0)
    }
  })
})

test('a link that leads out of the root is not followed, whenever it is swapped in', async () => {
  const project = join(served.root, 'projects', '-home-ana-code-api')
  const link = join(project, 'aaaaaaaa-1111-4111-8111-111111111111.jsonl')
  const folder = join(project, 'bbbbbbbb-1111-4111-8111-111111111111')
  symlinkSync(join(served.folder, 'elsewhere'), folder)
  const ask = async () => {
    const paths = [
      '/api/show?session=aaaaaaaa',
      `/api/check?paths=${encodeURIComponent(link)}`,
      '/api/sessions?full=true',
    ]
    for (const path of [...paths, `/api/search?query=${SECRET}&exact=true`]) {
      expect(await (await served.get(path)).text(), path).not.toContain(`${SECRET}"`)
    }
  }
  symlinkSync(secret, link)
  await ask()
  for (let round = 0; round < 20; round += 1) {
    unlinkSync(link)
    writeFileSync(link, '{"type":"user","uuid":"u","message":{"role":"user","content":"mine"}}\n')
    const asking = ask()
    unlinkSync(link)
    symlinkSync(secret, link)
    await asking
  }
})
