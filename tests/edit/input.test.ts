import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { annals } from '../cli/annals.ts'
import { type EditedRoot, editedRoot, OLD } from '../support/edited-root.ts'

let made: EditedRoot
beforeAll(() => {
  made = editedRoot()
  writeFileSync(join(made.folder, 'a-file'), '')
})
afterAll(() => made.remove())

const run = (args: readonly string[]) =>
  annals([...args, '--root', made.root], { env: { ANNALS_HOME: made.dataDir, HOME: made.folder }, cwd: made.project })

describe('what cannot be done gets a sentence, and changes nothing', () => {
  const S = () => made.sessionId
  const cases: readonly (readonly [string, () => readonly string[], RegExp])[] = [
    [
      'a title with a line break',
      () => ['rename', S(), 'two\nlines'],
      /title has a line break or another control character/,
    ],
    ['a title with an escape', () => ['rename', S(), 'a\u001b[31mb'], /control character/],
    ['a title that turns text around', () => ['rename', S(), 'a\u202eb'], /control character/],
    ['a title of blanks', () => ['rename', S(), '   '], /title is empty/],
    ['an empty title', () => ['rename', S(), ''], /title needs a value/],
    [
      'a title of 400 characters',
      () => ['rename', S(), 'x'.repeat(400)],
      /too long: it has 400 characters, 300 are taken/,
    ],
    ['a title of 10 kB', () => ['rename', S(), 'x'.repeat(10_000)], /title is too long/],
    ['no title', () => ['edit', 'rename', S()], /takes a session and its title/],
    ['no such session', () => ['rename', 'ffffffff', 'x'], /No session matches "ffffffff"/],
    ['an agent', () => ['rename', 'agent-a', 'x'], /is an agent|agents match/],
    ['a tag of blanks', () => ['edit', 'tag', S(), ' '], /tag is empty/],
    ['a tag and no tag', () => ['edit', 'tag', S(), 'x', '--clear'], /takes a session/],
    [
      'a folder that is not there',
      () => ['move', S(), '--to', join(made.folder, 'nowhere')],
      /There is no folder .*nowhere/,
    ],
    ['a folder that is a file', () => ['move', S(), '--to', join(made.folder, 'a-file')], /a-file is a file/],
    ['the folder where it is', () => ['move', S(), '--to', made.project], /belongs to .* already/],
    ['a move to nowhere', () => ['edit', 'move', S()], /--to FOLDER/],
    ['a move of both', () => ['move', S(), '--project', made.project, '--to', made.folder], /a session, or --project/],
    [
      'a project nobody worked in',
      () => ['move', '--project', '/no/such', '--to', made.folder],
      /No session belongs to \/no\/such/,
    ],
    ['a turn that is none', () => ['edit', 'fork', `${S()}:99`], /There is no turn 99/],
    ['a fork of nothing', () => ['edit', 'fork', `${S()}:0`], /nothing before that point/],
    ['a row that is none', () => ['edit', 'rewind', `${S()}:ffffffff`], /No row of this session/],
    ['a size that is none', () => ['edit', 'prune', S(), '--over', 'much'], /"much" is not a size/],
    ['a time that is none', () => ['edit', 'delete', '--older-than', 'long ago'], /not a time/],
    ['delete unasked', () => ['edit', 'delete', S()], /needs confirmation.*\n.*--yes/],
    ['prune unasked', () => ['edit', 'prune', S()], /needs confirmation/],
    ['delete of nothing', () => ['edit', 'delete', '--yes'], /takes a session, or --older-than/],
    ['delete of what fits nothing', () => ['edit', 'delete', '--larger-than', '50G', '--yes'], /No session matches/],
    [
      'a file that no session touched',
      () => ['edit', 'restore-file', 'x.ts', '--at', `${S()}:1`],
      /No session here touched/,
    ],
    ['a file at no point', () => ['edit', 'restore-file', 'a.ts'], /--at SESSION:TURN/],
    ['an edit that is none', () => ['undo', 'ffffffff'], /There is no edit ffffffff/],
    ['nothing to undo', () => ['undo'], /There is no edit to undo/],
    ['an action that is none', () => ['edit', 'polish', S()], /action takes one of rename/],
    ['an empty note', () => ['note', S(), ' '], /note is empty/],
    ['a note and none', () => ['note', S()], /or --clear/],
  ]
  for (const [name, args, said] of cases) {
    test(name, () => {
      const before = made.picture()
      const { code, stdout, stderr } = run(args())
      expect(stderr).toMatch(said)
      expect(stderr).not.toMatch(/\n\s+at |This is a bug/)
      expect([1, 2]).toContain(code)
      expect(stdout).toBe('')
      expect(made.picture()).toEqual(before)
    })
  }
})

describe('where a session is not to be edited', () => {
  const refused = (args: readonly string[], said: RegExp) => {
    const before = made.picture()
    const { code, stderr } = run(args)
    expect(stderr).toMatch(said)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(code).toBe(2)
    expect(made.picture()).toEqual(before)
  }

  test('a client runs it, unless forced', () => {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    mkdirSync(join(made.root, 'sessions'))
    const claim = { pid: process.pid, sessionId: made.sessionId, procStart }
    writeFileSync(join(made.root, `sessions/${process.pid}.json`), JSON.stringify(claim))
    refused(['rename', made.sessionId, 'x'], new RegExp(`Claude Code \\(process ${process.pid}\\) is running`))
    expect(run(['rename', made.sessionId, 'forced', '--force']).code).toBe(0)
    refused(['undo'], /is running/)
    rmSync(join(made.root, 'sessions'), { recursive: true })
    expect(run(['undo']).code).toBe(0)
  })

  test('its log was just written', () => {
    utimesSync(made.log, new Date(), new Date())
    refused(['edit', 'tag', made.sessionId, 'x'], /was written \d+ seconds ago|a second ago/)
    utimesSync(made.log, OLD, OLD)
  })

  test('only the archive has it', () => {
    const other = editedRoot()
    const env = { ANNALS_HOME: other.dataDir, HOME: other.folder }
    expect(annals(['keep', '--root', other.root], { env }).code).toBe(0)
    rmSync(other.log)
    const { code, stderr } = annals(['rename', other.sessionId, 'x', '--root', other.root], { env })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is no longer in .*\n.*keep restore/)])
    other.remove()
  })

  test('it is not in a folder that annals reads', () => {
    const other = editedRoot()
    refused(['rename', other.log, 'x'], /is not in a folder that annals reads/)
    other.remove()
  })

  test.skipIf(process.getuid?.() === 0)('the root is read-only', () => {
    chmodSync(made.log, 0o400)
    refused(['rename', made.sessionId, 'x'], /cannot be written: permission denied/)
    chmodSync(made.log, 0o600)
  })

  test('its log is a link', () => {
    const other = editedRoot()
    const real = join(other.folder, 'real.jsonl')
    writeFileSync(real, readFileSync(other.log))
    rmSync(other.log)
    symlinkSync(real, other.log)
    const { code, stderr } = annals(['rename', other.sessionId, 'x', '--root', other.root], {
      env: { ANNALS_HOME: other.dataDir, HOME: other.folder },
    })
    expect(code).not.toBe(0)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(existsSync(other.dataDir) && existsSync(join(other.dataDir, 'edits', 'x'))).toBe(false)
    other.remove()
  })

  test('a line of it cannot be read, and it shall be pruned', () => {
    const text = readFileSync(made.log)
    writeFileSync(made.log, Buffer.concat([Buffer.from('{"broken\n'), text]))
    utimesSync(made.log, OLD, OLD)
    refused(['edit', 'prune', made.sessionId, '--yes'], /A line of .* cannot be read/)
    expect(run(['edit', 'prune', made.sessionId, '--yes', '--force']).code).toBe(0)
    expect(readFileSync(made.log, 'utf8')).toMatch(/^\{"broken\n/)
    writeFileSync(made.log, text)
    utimesSync(made.log, OLD, OLD)
  })

  test('a link stands where a file shall be put back', () => {
    const path = join(made.project, 'a.ts')
    symlinkSync(join(made.folder, 'a-file'), path)
    refused(['edit', 'restore-file', 'a.ts', '--at', `${made.sessionId}:1`], /is a link/)
    rmSync(path)
  })
})
