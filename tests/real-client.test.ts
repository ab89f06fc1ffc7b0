import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { annals } from './cli/annals.ts'
import { clientEnv, installClient, isAsked, run, type StandIn, startStandIn } from './support/real-client.ts'

/** The client that this was last run with; the made log is written as this version writes it. */
const VERSION = '2.1.325'

describe.skipIf(!isAsked)('the real client (ANNALS_REAL_CLIENT=1 installs it and runs this)', () => {
  let folder = ''
  let standIn: StandIn
  let client: readonly string[]

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'annals-real-client-')))
    client = installClient(VERSION, process.env.ANNALS_CLIENTS ?? join(folder, 'clients'), join(folder, 'home'))
    standIn = await startStandIn()
  }, 600_000)

  afterAll(async () => {
    await standIn?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('goes on with a session that was kept, lost and put back', async () => {
    const [first, second, project] = ['first', 'second', 'project'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const name of ['home', 'second', 'project']) mkdirSync(join(folder, name), { recursive: true })
    const made = log({ version: VERSION, cwd: project })
    made.user('The word is xyzzyprompt.').assistant('I noted xyzzyanswer.')
    made.tool('Bash', { command: 'cat notes' }, { output: 'xyzzyoutput' }).assistant('Read it.')
    made.write(first)
    const env = { ANNALS_HOME: join(folder, 'annals') }
    expect(annals(['keep', '--root', first], { env })).toMatchObject({ code: 0 })
    rmSync(first, { recursive: true })
    mkdirSync(first)
    const restored = annals(['archive', 'restore', made.sessionId, '--to', second, '--root', first], { env })
    expect(restored, restored.stderr).toMatchObject({ code: 0 })

    const [program = '', ...before] = client
    const ran = await run(program, {
      args: [...before, '--resume', made.sessionId, '-p', 'Which xyzzyquestion was it?'],
      cwd: project,
      env: clientEnv(second, join(folder, 'home'), standIn.url),
    })
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stdout).toContain('xyzzyreply')
    const asked = standIn.requests.find((body) => body.includes('xyzzyquestion')) ?? ''
    for (const word of ['xyzzyprompt', 'xyzzyanswer', 'xyzzyoutput']) expect(asked).toContain(word)
  }, 300_000)
})
