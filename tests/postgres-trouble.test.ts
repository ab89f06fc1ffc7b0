import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TeamRow } from '../src/collector/row.ts'
import { SinkTrouble } from '../src/collector/sink.ts'
import { readAddress } from '../src/collector/sinks/postgres/address.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { FACTS_CONNECTION } from '../src/collector/sinks/postgres/make-facts.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { batch, machine, row } from './collector/made-batches.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'
import { rowsIn } from './postgres-place.ts'

/** How many answers are lost: 1,000 by ANNALS_ROUNDS=1000. */
const ROUNDS = Number(process.env.ANNALS_ROUNDS ?? 20)
const LOST_MS = 600_000 + ROUNDS * 5_000
const SECRET = 'pl0ugh-xyzzy'
const hasOpenssl = spawnSync('openssl', ['version']).status === 0
let cluster: Cluster

async function trouble(
  url: string,
  ...options: Parameters<typeof postgresSink> extends [string, ...infer R] ? R : never
) {
  const sink = postgresSink(url, ...options)
  const found = await sink.open(machine()).then(
    () => undefined,
    (error: unknown) => error,
  )
  await sink.close()
  expect(found).toBeInstanceOf(SinkTrouble)
  const { message, hint, passes, cause } = found as SinkTrouble
  expect(`${message} ${hint} ${String(cause)} ${JSON.stringify(found)}`).not.toContain(SECRET)
  expect(message).toMatch(/^The team store at .*\.$/)
  return { message, passes }
}

/** A certificate of the server's own for localhost, valid from 2020 on. */
function makeCertificate(folder: string, until: string): void {
  const work = mkdtempSync(join(tmpdir(), 'annals-ca-'))
  const run = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('openssl', [...args], { cwd: work, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
  }
  const config = `[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=p
x509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=DNS:localhost\nbasicConstraints=CA:TRUE\n`
  try {
    writeFileSync(join(work, 'ca.cnf'), config)
    writeFileSync(join(work, 'index'), '')
    const key = join(folder, 'server.key')
    run('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', key, '-out', 'request')
    const dates = ['-startdate', '20200101000000Z', '-enddate', until]
    const files = ['-keyfile', key, '-in', 'request', '-out', join(folder, 'server.crt')]
    run('ca', '-batch', '-selfsign', '-notext', '-config', 'ca.cnf', ...dates, ...files)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Lets connections through to the server; `cut` decides, by what the server says, when one ends. */
async function proxy(cut: (data: Buffer, sent: Buffer) => boolean): Promise<{ server: Server; port: number }> {
  const server = createServer((client: Socket) => {
    const inner = connectTo(join(cluster.folder, '.s.PGSQL.5432'))
    let asked = Buffer.alloc(0)
    const end = () => {
      client.destroy()
      inner.destroy()
    }
    client.on('data', (data: Buffer) => {
      asked = Buffer.concat([asked, data]).subarray(-4096)
      inner.write(data)
    })
    let isFacts: boolean | undefined
    // What is read back after a delivery has a connection of its own, which nothing depends on.
    client.once('data', (data: Buffer) => {
      isFacts = data.includes(FACTS_CONNECTION)
    })
    inner.on('data', (data: Buffer) => (!isFacts && cut(data, asked) ? end() : client.write(data)))
    for (const one of [client, inner]) one.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

/** The server behind TLS, with the certificate of a folder: a unix socket has none of its own. */
async function tlsProxy(folder: string): Promise<{ server: Server; port: number }> {
  const given = { key: readFileSync(join(folder, 'server.key')), cert: readFileSync(join(folder, 'server.crt')) }
  const server = createServer((client) => {
    client.on('error', () => {})
    client.once('data', () => {
      client.write('S')
      const secure = new TLSSocket(client, { isServer: true, ...given })
      const inner = connectTo(join(cluster.folder, '.s.PGSQL.5432'))
      const end = () => {
        secure.destroy()
        inner.destroy()
      }
      for (const one of [secure, inner]) one.on('error', end).on('close', end)
      secure.pipe(inner).pipe(secure)
    })
  })
  server.listen(0)
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

describe.skipIf(!hasPostgres)(`trouble with postgres${withoutPostgres}`, () => {
  beforeAll(() => {
    cluster = testCluster()
  })
  afterAll(() => cluster?.remove())

  test('a wrong password, an unknown database and a missing server are a sentence each', async () => {
    cluster.psql(`create role locked login password 'right'`)
    const hba = join(cluster.folder, 'data', 'pg_hba.conf')
    const before = readFileSync(hba, 'utf8')
    writeFileSync(hba, `local all locked scram-sha-256\n${before}`)
    cluster.psql('select pg_reload_conf()')
    const wrong = cluster.url('postgres', 'locked').replace('locked@', `locked:${SECRET}@`)
    await expect.poll(async () => (await trouble(wrong)).message, { timeout: 30_000 }).toMatch(/refused the password/)
    expect(await trouble(cluster.url('postgres', 'locked'), { password: SECRET })).toMatchObject({ passes: false })
    expect(await trouble(cluster.url('nowhere'))).toMatchObject({
      message: expect.stringMatching(/has no such database/),
      passes: false,
    })
    const gone = await trouble(`postgres://ana:${SECRET}@127.0.0.1:1/x`)
    expect(gone).toMatchObject({ message: expect.stringMatching(/is not running, or not there/), passes: true })
    expect(await trouble('postgres://ana@localhost/x?host=/nonexistent')).toMatchObject({ passes: true })
  })

  test('a missing table is told, with what to run', async () => {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    cluster.psql('drop table annals.response cascade', database)
    await expect(sink.deliver(batch('one', [row(0)]))).rejects.toMatchObject({
      message: expect.stringMatching(/lacks a table.*annals\.response/),
      hint: expect.stringMatching(/annals team migrate/),
      passes: false,
    })
    await sink.close()
  })

  test('a statement that takes too long ends, and can be tried again', async () => {
    const database = newDatabase(cluster)
    const url = cluster.url(database)
    const sink = postgresSink(url, { statementTimeoutMs: 1_500 })
    await sink.open(machine())
    const holder = postgresSink(url)
    const held = cluster.psql.bind(cluster)
    const lock = spawn('psql', [
      '-h',
      cluster.folder,
      '-U',
      'postgres',
      '-d',
      database,
      '-c',
      'begin; lock annals.record in access exclusive mode; select pg_sleep(60)',
    ])
    await expect
      .poll(
        () =>
          held(
            `select count(*) from pg_locks where mode = 'AccessExclusiveLock' and relation = 'annals.record'::regclass`,
            database,
          ),
        { timeout: 30_000 },
      )
      .toBe('1\n')
    await expect(sink.deliver(batch('slow', [row(0)]))).rejects.toMatchObject({
      passes: true,
      message: expect.stringMatching(/took too long/),
    })
    held(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
      database,
    )
    lock.kill()
    expect(await sink.deliver(batch('slow', [row(0)]))).toMatchObject({ added: 1 })
    await sink.close()
    await holder.close()
  })

  test('a server that restarts between and in deliveries loses and doubles nothing', async () => {
    const url = cluster.url(newDatabase(cluster))
    const sink = postgresSink(url)
    await sink.open(machine())
    await sink.deliver(batch('before', [row(0)]))
    const rows = Array.from({ length: 2000 }, (_, at) => row(at + 1))
    const under = sink.deliver(batch('under', rows)).catch((error: unknown) => error)
    cluster.stop('immediate')
    const found = await under
    if (found instanceof Error) expect(found).toMatchObject({ passes: true })
    const down = await sink.deliver(batch('down', [row(3000)])).catch((error: unknown) => error)
    expect(down).toMatchObject({ passes: true })
    cluster.start()
    for (const [id, some] of [
      ['under', rows],
      ['down', [row(3000)]],
    ] as const)
      await sink.deliver(batch(id, some))
    await sink.close()
    expect((await rowsIn(url)).length).toBe(2002)
  })

  const isRoot = process.getuid?.() === 0
  test.skipIf(!isRoot || process.platform !== 'linux')(
    `a full disk is told, and can be tried again${isRoot ? '' : ' (skipped: needs root)'}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'annals-full-'))
      const { uid, gid } = statSync(cluster.folder)
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder]).status === 0
      try {
        if (!mounted) return console.warn('skipped: nothing can be mounted here')
        const space = join(folder, 'space')
        mkdirSync(space)
        chownSync(space, uid, gid)
        cluster.psql(`create tablespace small location '${space}'`)
        cluster.psql('create database small tablespace small')
        const sink = postgresSink(cluster.url('small'))
        const noise = () =>
          Buffer.from(
            `{"type":"user","x":"${'0123456789abcdef'
              .repeat(4096)
              .split('')
              .sort(() => Math.random() - 0.5)
              .join('')}"}`,
          )
        const opened = await sink.open(machine()).catch((error: unknown) => error)
        let told = opened
        for (let at = 0; told === undefined && at < 40; at++) {
          const rows = Array.from({ length: 20 }, (_, n) => row(at * 20 + n, { content: noise() }))
          told = await sink.deliver(batch(String(at), rows)).then(
            () => undefined,
            (error: unknown) => error,
          )
        }
        expect(told).toMatchObject({ passes: true, message: expect.stringMatching(/has no room left on its disk/) })
        await sink.close()
        cluster.psql('drop database small with (force)')
        cluster.psql('drop tablespace small')
      } finally {
        if (mounted) spawnSync('umount', [folder])
        rmSync(folder, { recursive: true, force: true })
      }
    },
    120_000,
  )

  test.skipIf(!hasOpenssl)(
    `off this machine TLS is asked for, and certificates are checked${hasOpenssl ? '' : ' (skipped: openssl is not installed)'}`,
    async () => {
      for (const mode of ['disable', 'allow', 'prefer', 'no-verify']) {
        expect(() => readAddress(`postgres://ana:${SECRET}@db.example.com/x?sslmode=${mode}`)).toThrow(/read along/)
      }
      expect(readAddress('postgres://ana@db.example.com/x').ssl).toEqual({
        servername: 'db.example.com',
        rejectUnauthorized: true,
      })
      for (const near of ['localhost', '127.0.0.1', '[::1]'])
        expect(readAddress(`postgres://ana@${near}/x`).ssl).toBe(false)
      expect(readAddress('postgres:///x?host=/run/postgresql&user=ana')).toMatchObject({ isSocket: true, ssl: false })
      expect(readAddress(`postgres://ana:${SECRET}@db.example.com:6000/x`).shown).toBe(
        'postgres://ana@db.example.com:6000/x',
      )
      expect(() => readAddress(`postgres://ana:${SECRET}%zz@db/x`)).toThrow(/cannot be read/)
      const passwords = '# mine\nother:5432:*:ana:no\n*:*:x:ana:with\\:colon\n'
      expect(readAddress('postgres://ana@db.example.com/x', { passwords }).password).toBe('with:colon')

      const data = join(cluster.folder, 'data')
      for (const [until, expected] of [
        ['20200102000000Z', /has expired/],
        ['20991231000000Z', /shows a certificate that is signed by nobody but itself/],
      ] as const) {
        makeCertificate(data, until)
        const { server, port } = await tlsProxy(data)
        const root = until < '2026' ? `&sslrootcert=${join(data, 'server.crt')}` : ''
        const found = await trouble(`postgres://postgres:${SECRET}@localhost:${port}/postgres?sslmode=require${root}`)
        expect(found).toMatchObject({ message: expect.stringMatching(expected), passes: false })
        server.close()
      }
      const { server, port } = await tlsProxy(data)
      const url = `postgres://postgres@localhost:${port}/postgres?sslmode=verify-full&sslrootcert=${join(data, 'server.crt')}`
      const trusted = postgresSink(url)
      await trusted.open(machine())
      await trusted.close()
      const elsewhere = await trouble(url.replace('localhost', '127.0.0.1'))
      expect(elsewhere).toMatchObject({
        message: expect.stringMatching(/shows a certificate that is for another name/),
        passes: false,
      })
      server.close()
    },
  )

  test(
    `an answer that is lost after COMMIT doubles nothing (T5: ${ROUNDS} rounds)`,
    async () => {
      const database = newDatabase(cluster)
      let cuts = 0
      let isArmed = false
      // The server has committed when it says so; the client never hears of it.
      const { server, port: through } = await proxy((data) => {
        const isCommitted = isArmed && data.includes('COMMIT\0')
        if (isCommitted) {
          cuts += 1
          isArmed = false
        }
        return isCommitted
      })
      const sink = postgresSink(`postgres://postgres@127.0.0.1:${through}/${database}`)
      await sink.open(machine())
      const all: TeamRow[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const rows = Array.from({ length: 1 + (round % 5) }, (_, at) => row(all.length + at))
        const one = batch(`round ${round}`, rows)
        isArmed = true
        await expect(sink.deliver(one)).rejects.toMatchObject({ passes: true })
        expect(await sink.deliver(one)).toMatchObject({ added: 0, deadLetters: [] })
        all.push(...rows)
      }
      await sink.close()
      server.close()
      expect(cuts).toBe(ROUNDS)
      const found = await rowsIn(cluster.url(database))
      const key = (one: TeamRow) => `${String(one.offset).padStart(9, '0')} ${Buffer.from(one.content).toString()}`
      expect(found.map(key).sort()).toEqual(all.map(key).sort())
    },
    LOST_MS,
  )

  test('a connection that is cut anywhere in a delivery leaves all of it or nothing', async () => {
    const database = newDatabase(cluster)
    let left = Number.POSITIVE_INFINITY
    // A server that hangs up before it has said anything must not be waited for.
    const { server, port: through } = await proxy(() => --left < 0)
    const sink = postgresSink(`postgres://postgres@127.0.0.1:${through}/${database}`, { connectTimeoutMs: 3_000 })
    await sink.open(machine())
    let delivered = 0
    for (let point = 0, isDone = false; !isDone; point++) {
      const rows = Array.from({ length: 50 }, (_, at) => row(delivered + at))
      left = point
      const failed = await sink.deliver(batch(`point ${point}`, rows)).catch((error: unknown) => error)
      left = Number.POSITIVE_INFINITY
      isDone = !(failed instanceof Error)
      if (!isDone) expect(failed).toMatchObject({ passes: true })
      const now = Number(cluster.psql('select count(*) from annals.record', database))
      expect([delivered, delivered + 50]).toContain(now)
      await sink.deliver(batch(`point ${point}`, rows))
      delivered += 50
      expect(Number(cluster.psql('select count(*) from annals.record', database))).toBe(delivered)
      expect(point).toBeLessThan(200)
    }
    await sink.close()
    server.close()
  }, 600_000)
})
