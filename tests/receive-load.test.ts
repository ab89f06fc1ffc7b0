import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { authHeaders } from '../src/collector/auth.ts'
import { placeAfter } from '../src/collector/row-place.ts'
import { batchToJson } from '../src/collector/wire.ts'
import { answer, batch, marksOf, row } from './collector/made-batches.ts'

// `ANNALS_LOAD=3000` sends the day of 3,000 machines in ten minutes; fewer machines take as much less time. Their contents are as small as
// where only facts leave; `ANNALS_LOAD_BYTES=3600` makes them as large as whole records are on a mean day.
const machines = Number(process.env.ANNALS_LOAD ?? 0)
const without = machines > 0 ? '' : ' (skipped: set ANNALS_LOAD=3000, which takes ten minutes)'
const contentBytes = Number(process.env.ANNALS_LOAD_BYTES ?? 0)
const DELIVERIES = 12
/** Of a mean day: 1,170 records (docs/team.md). */
const RECORDS = 98
const SECONDS = (machines / 3_000) * 600
const AT_ONCE = 16

test.skipIf(machines === 0)(
  `the day of ${machines || 3_000} machines goes through a receiver in ${Math.round(SECONDS) || 600} s, and its memory stays flat${without}`,
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'annals-load-'))
    const idOf = (number: number) => `machine-${String(number).padStart(6, '0')}`
    mkdirSync(home, { recursive: true })
    const tokens = Array.from({ length: machines }, (_, number) => ({
      token: `of ${number}`,
      machine: idOf(number),
      person: `person ${number}`,
    }))
    writeFileSync(join(home, 'collect.json'), JSON.stringify({ tokens }))
    const cli = join(import.meta.dirname, '../dist/cli.cjs')
    const args = [cli, 'receive', '--to', `folder:${join(home, 'out')}`, '--port', '0', '--json']
    const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: home }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const { url } = JSON.parse(String(await new Promise((resolve) => child.stdout.once('data', resolve))))
      const rss: number[] = []
      const sample = () => {
        const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
        rss.push(Number(kib) / 1024)
      }
      const jobs = Array.from({ length: machines * DELIVERIES }, (_, at) => at)
      const machineOf = (job: number) => job % machines
      // Made beforehand: the machines are elsewhere, and what they take to pack is none of the receiver's time.
      const bodies = join(home, 'bodies')
      mkdirSync(bodies)
      let bytes = 0
      for (const job of jobs) {
        const number = machineOf(job)
        const body = bodyOf(idOf(number), `person ${number}`, Math.floor(job / machines))
        bytes += body.length
        writeFileSync(join(bodies, String(job)), body)
      }
      const sampling = setInterval(sample, 1_000)
      const made = process.cpuUsage()
      const receiverBefore = processorSeconds(child.pid)
      const start = performance.now()
      const send = async (job: number) => {
        const number = machineOf(job)
        const body = await readFile(join(bodies, String(job)))
        const headers = authHeaders({ token: `of ${number}` }, 'POST', '/v1/batches', body)
        const response = await fetch(`${url}/v1/batches`, {
          method: 'POST',
          headers: { ...headers, 'content-encoding': 'gzip', 'content-type': 'application/json' },
          body,
        })
        expect([response.status, await response.json()]).toMatchObject([200, { added: RECORDS }])
      }
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await send(job)
        }),
      )
      const seconds = (performance.now() - start) / 1000
      clearInterval(sampling)
      sample()
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const records = machines * DELIVERIES * RECORDS
      expect(metrics).toContain(`annals_receiver_records_added_total ${records}\n`)
      const third = Math.ceil(rss.length / 3)
      const [middle, end] = [median(rss.slice(third, 2 * third)), median(rss.slice(2 * third))]
      const cpu = process.cpuUsage(made)
      const receiver = processorSeconds(child.pid) - receiverBefore
      console.log(
        `${machines} machines, ${records} records, ${Math.round(bytes / 1e6)} MB packed, ${Math.round(seconds)} s of ${Math.round(SECONDS)} s, ` +
          `${Math.round(records / seconds)} records/s; receiver: ${Math.round(middle)} MB in the middle, ${Math.round(end)} MB at the end, ` +
          `most ${Math.round(Math.max(...rss))} MB, ${Math.round(receiver)} s of processor time; ` +
          `the machines here took ${Math.round((cpu.user + cpu.system) / 1e6)} s of it; load ${loadavg()[0]?.toFixed(1)}`,
      )
      expect(seconds).toBeLessThan(SECONDS)
      expect(end).toBeLessThan(middle * 1.3 + 32)
    } finally {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('close', resolve))
      rmSync(home, { recursive: true, force: true })
    }
  },
  3_600_000,
)

/** What a machine sends at once: of its time, and nobody else's. */
function bodyOf(id: string, user: string, delivery: number): Buffer {
  const rows = Array.from({ length: RECORDS }, (_, at) => {
    const number = delivery * RECORDS + at
    const own = {
      machine: id,
      user,
      offset: placeAfter(number),
      timestamp: new Date(Date.now() - 60_000).toISOString(),
    }
    const made = at % 3 === 0 ? answer(number, own) : row(number, own)
    return contentBytes === 0 ? made : { ...made, content: contentOf(number) }
  })
  const marks = marksOf(rows).map((mark) => ({ ...mark, offset: placeAfter((delivery + 1) * RECORDS), cursor: null }))
  const who = { id, user, name: null }
  return gzipSync(JSON.stringify(batchToJson(batch(`${id} ${delivery}`, rows, { machine: who, marks }))), { level: 1 })
}

/** As long as it should be, of words that can be packed about as well as those of a log. */
function contentOf(number: number): Buffer {
  const words = Array.from(
    { length: contentBytes / 9 },
    (_, at) => ((at * 2_654_435_761 + number * 40_503) >>> 12) % 4_096,
  )
  return Buffer.from(
    JSON.stringify({ type: 'user', message: { content: words.map((word) => `w${word}`).join(' the ') } }),
  )
}

/** Of all its threads, since it started: the 14th and 15th field of its line, in hundredths of a second. */
function processorSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
