import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { MachineCredentials } from '../src/collector/auth.ts'
import { startReceiver } from '../src/collector/receiver/start.ts'
import { readCollectSettings } from '../src/collector/settings.ts'
import { SinkTrouble } from '../src/collector/sink.ts'
import { folderSink } from '../src/collector/sinks/folder.ts'
import { type HttpOptions, httpSink } from '../src/collector/sinks/http.ts'
import { tombstoneOf } from '../src/collector/tombstone.ts'
import { openReceiver } from '../src/ops/receive.ts'
import { temporaryFolder } from './cli/annals.ts'
import { rowsIn } from './collector/folder-place.ts'
import { batch, machine, marksOf, row, SESSION } from './collector/made-batches.ts'
import { LOG, line } from './collector/made-root.ts'
import { MemorySink } from './collector/memory-sink.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
const cli = join(import.meta.dirname, '../dist/cli.cjs')

/** What a machine is answered that opens, asks for its marks and delivers: `ok`, or what kept it from that. */
async function answers(port: number, options: HttpOptions, number: number): Promise<readonly string[]> {
  const sink = httpSink(`http://127.0.0.1:${port}`, options)
  const who = machine(number)
  const rows = [row(0, { machine: who.id })]
  const asked = [
    () => sink.open(who),
    () => sink.marks(who.id),
    () => sink.deliver(batch(`of ${number}`, rows, { machine: who, marks: marksOf(rows) })),
  ]
  const said: string[] = []
  for (const ask of asked) {
    try {
      await ask()
      said.push('ok')
    } catch (error) {
      expect(error).toBeInstanceOf(SinkTrouble)
      expect((error as SinkTrouble).passes).toBe(false)
      said.push((error as SinkTrouble).message)
    }
  }
  return said
}

const OK = ['ok', 'ok', 'ok']
const unknown = expect.stringContaining('does not know us (401)')
const foreign = (number: number) =>
  expect.stringMatching(new RegExp(`\\(403\\).* not for machine ${machine(number).id}\\.`))

describe('who may speak for which machine', () => {
  test('a token or key speaks for one machine: the one that it is for, or the first that it names', async () => {
    const sink = new MemorySink()
    const tokens: readonly MachineCredentials[] = [
      { token: 'of one', machine: machine(1).id, person: 'ana' },
      { hmacKey: 'key of two', machine: machine(2).id, person: 'ana' },
      { token: 'of the first', person: 'ana' },
    ]
    const receiver = await startReceiver({ sink, credentials: {}, tokens }, { host: '127.0.0.1', port: 0 })
    const ask = (options: HttpOptions, number: number) => answers(receiver.port, options, number)
    try {
      expect(await ask({ token: 'of one' }, 1)).toEqual(OK)
      expect(await ask({ token: 'of one' }, 2)).toEqual(Array(3).fill(foreign(2)))
      expect([...sink.rows.values()].map((one) => one.machine)).toEqual([machine(1).id])
      expect(await ask({ hmacKey: 'key of two' }, 2)).toEqual(OK)
      expect(await ask({ hmacKey: 'key of two' }, 1)).toEqual(Array(3).fill(foreign(1)))
      // A machine that another token is for is not the first that one may name.
      const taken = expect.stringMatching(/\(403\).*Machine machine-0001 has another token or key\./)
      expect(await ask({ token: 'of the first' }, 1)).toEqual(Array(3).fill(taken))
      expect(await ask({ token: 'of the first' }, 4)).toEqual(OK)
      expect(await ask({ token: 'of the first' }, 5)).toEqual(Array(3).fill(foreign(5)))
      for (const wrong of [{ token: 'of nobody' }, { hmacKey: 'key of nobody' }, { hmacKey: 'of one' }, {}]) {
        expect(await ask(wrong, 1)).toEqual(Array(3).fill(unknown))
      }
      // A token that is good does not make a key of another machine so.
      expect(await ask({ token: 'of one', hmacKey: 'key of two' }, 3)).toEqual(Array(3).fill(foreign(3)))
    } finally {
      await receiver.close()
    }
  })

  test('a token speaks for one person, and nobody comes under the name of another', async () => {
    const sink = new MemorySink()
    const tokens: readonly MachineCredentials[] = [
      { token: 'of ana', person: 'ana' },
      { token: 'of ben' },
      { token: 'of cem' },
    ]
    const receiver = await startReceiver({ sink, credentials: {}, tokens }, { host: '127.0.0.1', port: 0 })
    const send = (token: string, number: number, user: string | null, rowUser = user) => {
      const who = { ...machine(number), user }
      const rows = [row(number, { machine: who.id, user: rowUser })]
      return httpSink(`http://127.0.0.1:${receiver.port}`, { token }).deliver(
        batch(`${token} ${number} ${user} ${rowUser}`, rows, { machine: who }),
      )
    }
    try {
      await send('of ana', 1, 'ana')
      await expect(send('of ana', 1, 'ghost')).rejects.toThrow(/\(403\).*speaks for "ana", not for "ghost"\./)
      await expect(send('of ana', 1, null)).rejects.toThrow(/speaks for "ana", not for somebody without a name/)
      await expect(send('of ana', 1, 'ana', 'ghost')).rejects.toThrow(/names ghost beside ana/)
      await expect(send('of ana', 1, 'ana', null)).rejects.toThrow(/names nobody beside ana/)
      await expect(send('of ben', 2, 'ana')).rejects.toThrow(/Another token or key speaks for "ana"/)
      await send('of ben', 2, 'ben')
      await expect(send('of ben', 2, 'ghost')).rejects.toThrow(/speaks for "ben", not for "ghost"/)
      await send('of cem', 3, null)
      await expect(send('of cem', 3, 'ghost')).rejects.toThrow(/speaks for somebody without a name, not for "ghost"/)
      expect([...sink.rows.values()].map(({ user }) => user)).toEqual(['ana', 'ben', null])
    } finally {
      await receiver.close()
    }
  })

  test('a token buries what its machine sent, and nothing that another did, sent or not yet', async () => {
    const out = join(folder.path, 'burials')
    const tokens = [1, 2].map((number) => ({ token: `of ${number}`, machine: machine(number).id, person: 'ana' }))
    const start = () =>
      startReceiver({ sink: folderSink(out), credentials: {}, tokens }, { host: '127.0.0.1', port: 0 })
    let receiver = await start()
    const of = (number: number) => {
      const sink = httpSink(`http://127.0.0.1:${receiver.port}`, { token: `of ${number}` })
      const who = machine(number)
      return {
        send: (at: number, session?: string) => {
          const rows = [row(at, { machine: who.id, ...(session !== undefined && { session }) })]
          return sink.deliver(batch(`${number} ${at} ${session}`, rows, { machine: who }))
        },
        bury: (session: string) =>
          sink.deliver(batch(`bury ${session}`, [], { machine: who, tombstones: [tombstoneOf(session)] })),
      }
    }
    const LATER = 'bbbb2222-0000-4000-8000-000000000002'
    const kept = async () => (await rowsIn(out)).map((one) => `${one.machine} ${one.offset}`).sort()
    try {
      await of(1).send(0)
      expect((await of(2).bury(SESSION)).notices).toEqual([
        expect.stringMatching(/what other machines sent of it stays/),
      ])
      await of(2).bury(LATER)
      expect(await kept()).toEqual(['machine-0001 0'])
      expect(await of(1).send(1)).toMatchObject({ added: 1, refused: [] })
      expect(await of(1).send(2, LATER)).toMatchObject({ added: 1, refused: [] })
      expect(await of(2).send(3)).toMatchObject({ added: 0, refused: [tombstoneOf(SESSION)] })
      // It is remembered, for each machine by itself.
      await receiver.close()
      receiver = await start()
      expect(await of(2).send(4)).toMatchObject({ added: 0, refused: [tombstoneOf(SESSION)] })
      const own = await of(1).bury(SESSION)
      expect(own.notices).toBe(undefined)
      expect(await kept()).toEqual(['machine-0001 200'])
    } finally {
      await receiver.close()
    }
  })

  test('they stand in the settings; what cannot be meant stops it', async () => {
    const configDir = join(folder.path, 'config')
    mkdirSync(configDir, { recursive: true })
    const set = (value: object) => writeFileSync(join(configDir, 'collect.json'), JSON.stringify(value))
    set({ tokens: [{ token: 'a', machine: machine(1).id, person: 'ana' }, { hmacKey: 'b' }] })
    expect(readCollectSettings(configDir).tokens).toMatchObject([
      { token: 'a', machine: machine(1).id, person: 'ana' },
      { hmacKey: 'b' },
    ])
    const options = {
      host: '127.0.0.1',
      port: 0,
      cwd: '/',
      home: '/',
      configDir,
      dataDir: join(folder.path, 'data'),
      access: {},
      newToken: 'new',
      isPublic: false,
      onBug: () => {},
    }
    const out = join(folder.path, 'received')
    const receiver = await openReceiver({ ...options, to: `folder:${out}` })
    try {
      expect(receiver.token, 'none is made where some are set').toBe(null)
      expect(await answers(receiver.port, { token: 'new' }, 1)).toEqual(Array(3).fill(unknown))
      expect(await answers(receiver.port, { token: 'a' }, 2)).toEqual(Array(3).fill(foreign(2)))
      expect(await answers(receiver.port, { token: 'a' }, 1)).toEqual(OK)
      expect((await rowsIn(out)).map((one) => one.machine)).toEqual([machine(1).id])
      // Two that remember the same things would undo each other's.
      await expect(openReceiver({ ...options, to: `folder:${out}` })).rejects.toThrow(/Another annals/)
    } finally {
      await receiver.close()
    }
    set({ hashkey: 'x' })
    expect(() => readCollectSettings(configDir)).toThrow(/"hashkey" is not one of .* Did you mean "hashKey"\?/)
    const TWICE = [{ token: 'a' }, { hmacKey: 'a' }]
    const wrong = [7, {}, [7], [{}], [{ token: '' }], [{ token: 'a', hmacKey: 'b' }], [{ machine: machine(1).id }]]
    for (const tokens of [...wrong, [{ token: 'a', machine: '../x' }], [{ token: 'a', machines: [] }], TWICE]) {
      set({ tokens })
      expect(() => readCollectSettings(configDir), JSON.stringify(tokens)).toThrow(/cannot be used/)
    }
  })
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const SUBJECT = ['-subj', '/CN=localhost']
const NAMES = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

/** A key with a certificate that signs itself; `undefined` where this openssl cannot make it. */
function certificate(name: string, isExpired: boolean, names = NAMES) {
  const [key, cert, request, extra] = ['key', 'cert', 'request', 'extra'].map((one) =>
    join(folder.path, `${name}-${one}.pem`),
  ) as [string, string, string, string]
  const openssl = (...args: readonly string[]) => spawnSync('openssl', args, { stdio: 'ignore' }).status === 0
  writeFileSync(extra, names)
  const asked = openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', request, ...SUBJECT)
  const sign = ['x509', '-req', '-in', request, '-signkey', key, '-extfile', extra, '-out', cert]
  // Newer ones take no negative number of days, but dates.
  const made = isExpired
    ? openssl(...sign, '-days', '-1') ||
      openssl(...sign, '-not_before', '20200101000000Z', '-not_after', '20200102000000Z')
    : openssl(...sign, '-days', '1')
  return asked && made ? { cert, key } : undefined
}

const good = hasOpenssl ? certificate('good', false) : undefined
const expired = hasOpenssl ? certificate('expired', true) : undefined
const other = hasOpenssl ? certificate('other', false, 'subjectAltName=DNS:other.example.com') : undefined
const without = good && expired && other ? '' : ' (skipped: openssl is not installed, or cannot make them)'

describe('certificates (X9)', () => {
  test.skipIf(without !== '').each([
    [
      'that signs itself',
      good,
      false,
      /is signed by nobody but itself\.\n {2}Nothing was sent\. .*NODE_EXTRA_CA_CERTS/,
    ],
    ['that has expired', expired, true, /has expired\.\n {2}Nothing was sent\. .*renew/],
    ['of another name', other, true, /is for another name\.\n {2}Nothing was sent\. .*name/],
  ])(
    `one %s is a sentence that says what to do, and nothing is sent${without}`,
    async (name, files, isTrusted, expected) => {
      const { status, stderr, rows } = await collectTo(name, files, isTrusted)
      expect([status, rows]).toEqual([2, 0])
      expect(stderr).toMatch(/^The certificate of localhost:\d+ /)
      expect(stderr).toMatch(expected)
      expect(stderr.split('\n').length).toBe(3)
    },
  )

  test.skipIf(without !== '')(`one of your own is taken when you vouch for it${without}`, async () => {
    expect(await collectTo('trusted', good, true)).toEqual({ status: 0, stderr: '', rows: 1 })
  })
})

/** Collects one record to a receiver with a certificate, by the real command. */
async function collectTo(name: string, files: { cert: string; key: string } | undefined, isTrusted: boolean) {
  if (!files) throw new Error('There is no certificate.')
  const sink = new MemorySink()
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const receiver = await startReceiver({ sink, credentials: { token: 't' } }, { host: '127.0.0.1', port: 0, tls })
  const place = join(folder.path, name)
  mkdirSync(dirname(join(place, LOG)), { recursive: true })
  writeFileSync(join(place, LOG), line(1))
  try {
    const args = [cli, 'collect', '--to', `https://localhost:${receiver.port}`, '--root', place, '--json']
    const env = {
      ...{ PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_COLLECT_TOKEN: 't' },
      ANNALS_HOME: join(place, 'home'),
      ...(isTrusted && { NODE_EXTRA_CA_CERTS: files.cert }),
    }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (data) => {
      stderr += data
    })
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { status, stderr, rows: sink.rows.size }
  } finally {
    await receiver.close()
  }
}
