import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import type { TeamDocument, TeamRow } from '../src/collector/row.ts'
import { decodePart, formatOf, unpackLines } from '../src/collector/sinks/folder-parts.ts'
import { s3Sink } from '../src/collector/sinks/s3.ts'
import { Bucket, signedHeaders } from '../src/collector/sinks/s3-request.ts'
import { documentFromJson } from '../src/collector/wire.ts'
import { batch, machine, row } from './collector/made-batches.ts'
import { holdsTheContract, type SinkUnderTest } from './collector/sink-contract.ts'

test('a request is signed as the documentation of AWS shows it', () => {
  const access = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  }
  const at = new Date('2013-05-24T00:00:00.000Z')
  const host = 'https://examplebucket.s3.amazonaws.com'
  const signature = (path: string, headers: Record<string, string> = {}) => {
    const made = signedHeaders({ method: 'GET', url: new URL(`${host}${path}`), headers }, access, at)
    return made.authorization?.split('Signature=')[1]
  }
  expect(signature('/test.txt', { range: 'bytes=0-9' })).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
  expect(signature('/?lifecycle')).toBe('fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543')
  expect(signature('/?max-keys=2&prefix=J')).toBe('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7')
})

test('who writes has to be said, and off this machine only encrypted', () => {
  expect(() => s3Sink('s3://bucket/x', { access: {} })).toThrow(/no credentials for the bucket/)
  const access = { accessKeyId: 'a', secretAccessKey: 'b', endpoint: 'http://example.com' }
  expect(() => s3Sink('s3://bucket/x', { access })).toThrow(/only encrypted/)
})

// A server of S3 from npm, in a folder of its own: `ANNALS_S3=1`, or the name of a folder that has it.
const asked = process.env.ANNALS_S3
const without = asked ? '' : ' (skipped: set ANNALS_S3=1 to install s3rver into a scratch folder)'

describe.skipIf(!asked)(`against s3rver${without}`, async () => {
  if (!asked) return test.skip('s3rver is not asked for', () => {})
  const scratch = asked === '1' ? join(tmpdir(), 'annals-s3rver') : asked
  if (!existsSync(join(scratch, 'node_modules/s3rver'))) {
    mkdirSync(scratch, { recursive: true })
    const args = ['install', '--prefix', scratch, '--no-audit', '--no-fund', '--ignore-scripts', 's3rver@3.7.1']
    spawnSync('npm', args, { stdio: 'ignore' })
  }
  const S3rver = createRequire(join(scratch, 'x.js'))('s3rver')
  const directory = mkdtempSync(join(tmpdir(), 'annals-s3-'))
  const configureBuckets = Array.from({ length: 30 }, (_, at) => ({ name: `bucket-${at}`, configs: [] }))
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets })
  const { port } = await server.run()
  afterAll(async () => {
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const endpoint = `http://127.0.0.1:${port}`
  const access = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', region: 'us-east-1', endpoint }
  let places = 0

  async function place(format: 'jsonl' | 'parquet'): Promise<SinkUnderTest & { bucket: Bucket; address: string }> {
    const name = `bucket-${places++}`
    const address = `s3://${name}/team a+b/x`
    const bucket = new Bucket(`${endpoint}/${name}`, 'team%20a+b/x/', access)
    const plain = new Bucket(`${endpoint}/${name}`, `${new URL(address).pathname.slice(1)}/`, access)
    return {
      bucket,
      address,
      open: () => s3Sink(address, { access, format }),
      async rows() {
        const rows: TeamRow[] = []
        for (const one of await plain.list('records/')) {
          rows.push(...(await decodePart((await plain.get(one)) ?? new Uint8Array(0), formatOf(one))))
        }
        return rows
      },
      async documents() {
        const found: TeamDocument[] = []
        for (const one of await plain.list('documents/')) {
          const objects = unpackLines((await plain.get(one)) ?? gzipSync(''))
          found.push(...objects.map((object) => documentFromJson(object) as TeamDocument))
        }
        return found
      },
      remove: async () => {},
    }
  }
  holdsTheContract('bucket of columns', () => place('parquet'))
  holdsTheContract('bucket of lines', () => place('jsonl'))

  test('what was put and never came to count is removed on the next start', async () => {
    const one = await place('parquet')
    await one.open().deliver(batch('first', [row(0)]))
    const lost = new Bucket(
      `${endpoint}/${new URL(one.address).host}`,
      `${new URL(one.address).pathname.slice(1)}/`,
      access,
    )
    // As a crash leaves it: the note and the part are there, the state is not.
    const [part = ''] = await lost.list('records/')
    const torn = part.replace(/[^/]+$/, 'torn.parquet')
    await lost.put(`_annals/${machine().id}.next.json`, Buffer.from(JSON.stringify({ batch: 'lost', files: [torn] })))
    await lost.put(torn, (await lost.get(part)) ?? new Uint8Array(0))
    expect((await one.rows()).length).toBe(2)
    expect(await one.open().deliver(batch('second', [row(0), row(1)]))).toMatchObject({ added: 1 })
    expect((await one.rows()).map(({ offset }) => offset).sort()).toEqual([0, 100])
  })
})
