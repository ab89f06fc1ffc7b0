import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectKey } from '../../src/core/encode.ts'
import { log } from '../../src/testing/index.ts'
import { annals } from '../cli/annals.ts'
import { clientEnv, installClient, isAsked, run, type StandIn, startStandIn } from '../support/real-client.ts'

/** What each version was seen to do; what an older one ignores is in docs/edit.md. */
const VERSIONS = [
  { version: '2.1.325', rewinds: true, keepsTitle: true },
  { version: '2.1.250', rewinds: true, keepsTitle: true },
  { version: '2.1.112', rewinds: false, keepsTitle: false },
] as const

const folder = isAsked ? realpathSync(mkdtempSync(join(tmpdir(), 'annals-edit-client-'))) : ''
const home = join(folder, 'home')
const OLD = new Date('2026-11-10T12:00:00Z')
let standIn: StandIn
let places = 0

describe.skipIf(!isAsked)('the real client takes edits (ANNALS_REAL_CLIENT=1 installs it and runs this)', () => {
  beforeAll(async () => {
    mkdirSync(home)
    standIn = await startStandIn()
  })
  afterAll(async () => {
    await standIn?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const { version, rewinds, keepsTitle } of VERSIONS) {
    describe(version, () => {
      let client: readonly string[]
      beforeAll(() => {
        client = installClient(version, process.env.ANNALS_CLIENTS ?? join(folder, 'clients'), home)
      }, 600_000)

      /** A root with a session of three turns, the second with a long result. */
      const newPlace = () => {
        const at = join(folder, `place-${places++}`)
        const project = join(at, 'project')
        const root = join(at, 'root')
        mkdirSync(project, { recursive: true })
        const made = log({ version, cwd: project, seed: at, startedAt: '2026-11-10T10:00:00.000Z' })
          .user('The word is xyzzyone.')
          .assistant('I noted answerone.')
          .user('The word is xyzzytwo.')
          .tool('Bash', { command: 'cat notes' }, { output: `bigbegin ${'many words '.repeat(2_500)} bigend` })
          .assistant('I noted answertwo.')
          .user('The word is xyzzythree.')
          .assistant('I noted answerthree.')
        made.write(root)
        const path = join(root, 'projects', projectKey(project), `${made.sessionId}.jsonl`)
        utimesSync(path, OLD, OLD)
        return { root, project, id: made.sessionId, path, state: join(at, 'state') }
      }
      type Place = ReturnType<typeof newPlace>

      const edit = ({ root, state, project }: Place, ...args: string[]) => {
        const ran = annals([...args, '--root', root, '--force', '--json'], {
          env: { ANNALS_HOME: state },
          cwd: project,
        })
        expect(ran.code, ran.stderr).toBe(0)
        return JSON.parse(ran.stdout) as { readonly id: string; readonly created: string | null }
      }
      /** The body of the request that a prompt was sent in. */
      const ask = async ({ root, project }: Place, args: readonly string[], cwd = project) => {
        const prompt = `question${places}x${standIn.requests.length}`
        const [program = '', ...before] = client
        const ran = await run(program, {
          args: [...before, ...args, '-p', prompt],
          cwd,
          env: clientEnv(root, home, standIn.url),
        })
        const body = standIn.requests.find((one) => one.includes(prompt)) ?? ''
        const said = JSON.stringify((JSON.parse(body || '{}') as { messages?: unknown }).messages ?? '')
        const has = (word: string) => said.includes(word)
        return { ...ran, has, words: ['xyzzyone', 'xyzzytwo', 'xyzzythree'].filter(has), messages: said }
      }

      test('a renamed session is resumed by its title', async () => {
        const place = newPlace()
        edit(place, 'rename', place.id, 'Brand new name')
        const { words, stderr, stdout } = await ask(place, ['--resume', 'Brand new name'])
        expect(words, stderr + stdout).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
      }, 300_000)

      test('the picker shows the new title, also after 100 KB more of log, the tag, and no deleted session', async () => {
        const place = newPlace()
        const row = `{"type":"mode","mode":"normal","sessionId":"${place.id}"}\n`
        const grow = () => appendFileSync(place.path, row.repeat(Math.ceil(100_000 / row.length)))
        // The title shall stand neither in the first nor in the last 64 KiB.
        grow()
        utimesSync(place.path, OLD, OLD)
        edit(place, 'rename', place.id, 'Brand new name')
        edit(place, 'edit', 'tag', place.id, 'taggedxyz')
        const screen = await picker(place)
        expect(screen).toContain('Brand new name')
        expect(screen).toContain('#taggedxyz')
        // The time of the log was put back.
        expect(screen).toMatch(/days? ago|week/)
        grow()
        const later = await picker(place)
        expect(later.includes('Brand new name')).toBe(keepsTitle)
        edit(place, 'edit', 'delete', place.id, '--yes')
        const gone = await picker(place)
        expect(gone).not.toContain('Brand new name')
        expect(gone).not.toContain('xyzzyone')
        edit(place, 'undo')
        expect(await picker(place)).toMatch(/Brand new name|xyzzy/)
      }, 300_000)

      test('a fork sends what was said up to its point, and the original all of it', async () => {
        const place = newPlace()
        const { created } = edit(place, 'edit', 'fork', `${place.id}:1`, '--title', 'Other way')
        const forked = await ask(place, ['--resume', created as string])
        expect(forked.words, forked.stderr).toEqual(['xyzzyone'])
        expect(forked.has('answerone')).toBe(true)
        const original = await ask(place, ['--resume', place.id])
        expect(original.words, original.stderr).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
      }, 300_000)

      test('a moved session goes on in its new folder', async () => {
        const place = newPlace()
        const to = join(place.project, '../elsewhere')
        mkdirSync(to)
        edit(place, 'move', place.id, '--to', to)
        const moved = await ask(place, ['--resume', place.id], realpathSync(to))
        expect(moved.words, moved.stderr).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
        const continued = await ask(place, ['--continue'], realpathSync(to))
        expect(continued.words, continued.stderr).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
      }, 300_000)

      test('a rewound session sends less, and back again', async () => {
        const place = newPlace()
        edit(place, 'edit', 'rewind', `${place.id}:1`)
        const less = await ask(place, ['--resume', place.id, ...(rewinds ? [] : ['--fork-session'])])
        expect(less.words, less.stderr).toEqual(rewinds ? ['xyzzyone'] : ['xyzzyone', 'xyzzytwo', 'xyzzythree'])
        const other = newPlace()
        edit(other, 'edit', 'rewind', `${other.id}:1`)
        edit(other, 'undo')
        const all = await ask(other, ['--resume', other.id])
        expect(all.words, all.stderr).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
        const third = newPlace()
        const rows = readFileSync(third.path, 'utf8').trimEnd().split('\n')
        const tip = /"uuid":"([^"]+)"/.exec(rows.findLast((row) => row.includes('answerthree')) ?? '')?.[1]
        edit(third, 'edit', 'rewind', `${third.id}:1`)
        edit(third, 'edit', 'rewind', `${third.id}:${tip}`)
        const again = await ask(third, ['--resume', third.id])
        expect(again.words, again.stderr).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
      }, 300_000)

      test('a pruned session goes on with placeholders, and undone with all', async () => {
        const place = newPlace()
        edit(place, 'edit', 'prune', place.id, '--yes')
        const pruned = await ask(place, ['--resume', place.id, '--fork-session'])
        expect(pruned.words, pruned.stderr).toEqual(['xyzzyone', 'xyzzytwo', 'xyzzythree'])
        expect([pruned.has('[pruned:'), pruned.has('bigbegin')]).toEqual([true, false])
        edit(place, 'undo')
        const whole = await ask(place, ['--resume', place.id])
        expect([whole.has('[pruned:'), whole.has('bigbegin')]).toEqual([false, true])
      }, 300_000)

      test('a deleted session is not found', async () => {
        const place = newPlace()
        edit(place, 'edit', 'delete', place.id, '--yes')
        const { code, words } = await ask(place, ['--resume', place.id])
        expect(words).toEqual([])
        expect(code).not.toBe(0)
        expect(existsSync(place.path)).toBe(false)
      }, 300_000)

      /** What the client's list of sessions shows on a terminal. */
      async function picker({ root, project }: Place): Promise<string> {
        const trusted = { allowedTools: [], hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
        const settings = {
          theme: 'dark',
          hasCompletedOnboarding: true,
          lastOnboardingVersion: version,
          numStartups: 3,
          customApiKeyResponses: { approved: ['0123456789abcdefghij'], rejected: [] },
          projects: { [project]: trusted },
        }
        if (!existsSync(join(root, '.claude.json'))) writeFileSync(join(root, '.claude.json'), JSON.stringify(settings))
        const name = `annals-edit-${process.pid}-${places++}`
        const env = Object.entries(clientEnv(root, home, standIn.url)).map(([key, value]) => `${key}='${value}'`)
        const command = ['exec env -i', ...env, ...client.map((word) => `'${word}'`), '--resume'].join(' ')
        const tmux = (...args: string[]) => execFileSync('tmux', ['-L', name, ...args], { encoding: 'utf8' })
        tmux('new-session', '-d', '-s', 'p', '-x', '150', '-y', '50', '-c', project, command)
        try {
          let screen = ''
          for (let waited = 0; waited < 40; waited++) {
            await pause(500)
            const now = tmux('capture-pane', '-p', '-t', 'p')
            if (waited > 8 && now.trim() !== '' && now === screen) return now
            screen = now
          }
          return screen
        } finally {
          tmux('kill-server')
        }
      }
    })
  }
})
