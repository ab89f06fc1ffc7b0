import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { installService, removeService, serviceFiles } from './service.ts'

const command = {
  name: 'keep',
  every: 'day',
  args: [],
  home: '/home/ana',
  program: ['/usr/bin/node', '/opt/my annals/cli.mjs'],
  roots: ['/home/ana/.claude', '/home/ana/50% $HOME "x"'],
  env: { ANNALS_HOME: '/home/ana/my state' },
} as const

test('a timer of systemd runs the command every day, with words that systemd reads back as they are', () => {
  const { files, start } = serviceFiles(command, 'linux')
  expect(files.map(({ path }) => path)).toEqual([
    '/home/ana/.config/systemd/user/annals-keep.service',
    '/home/ana/.config/systemd/user/annals-keep.timer',
  ])
  expect(files[0]?.text).toContain(
    'ExecStart=/usr/bin/node "/opt/my annals/cli.mjs" keep --root /home/ana/.claude --root "/home/ana/50%% $$HOME \\"x\\""\n',
  )
  expect(files[0]?.text).toContain('Environment="ANNALS_HOME=/home/ana/my state"\n')
  expect(files[1]?.text).toContain('OnCalendar=daily\n')
  expect(start).toContain('systemctl --user')
})

test('an agent of launchd does the same', () => {
  const { files } = serviceFiles({ ...command, roots: ['/a & <b>'] }, 'darwin')
  expect(files[0]?.path).toBe('/home/ana/Library/LaunchAgents/dev.annals.keep.plist')
  expect(files[0]?.text).toContain('<string>/a &amp; &lt;b&gt;</string>')
  expect(files[0]?.text).toContain('<key>ANNALS_HOME</key><string>/home/ana/my state</string>')
})

test('is installed twice without harm, enabled as its own tools would, and removed', () =>
  withFolder({}, (home) => {
    const timer = serviceFiles({ ...command, home }, 'linux')
    installService(timer)
    installService(timer)
    const path = join(home, '.config/systemd/user/annals-keep.timer')
    expect(readFileSync(path, 'utf8')).toBe(timer.files[1]?.text)
    expect(readlinkSync(join(home, '.config/systemd/user/timers.target.wants/annals-keep.timer'))).toBe(path)
    removeService(timer)
    expect(existsSync(path)).toBe(false)
  }))

const collector = {
  name: 'collect',
  every: 'start',
  home: '/home/ana',
  program: ['/usr/bin/node', '/opt/an nals/cli.mjs'],
  roots: ['/home/ana/50% & more'],
  env: { ANNALS_HOME: '/data' },
  args: ['--follow', '--to', 'folder:/sync'],
} as const

test('systemd runs the collector always, with every word as it was', () => {
  const [unit] = serviceFiles(collector, 'linux').files
  expect(unit?.path).toBe('/home/ana/.config/systemd/user/annals-collect.service')
  const line = '"/opt/an nals/cli.mjs" collect --follow --to folder:/sync --root "/home/ana/50%% & more"'
  expect(unit?.text).toContain(`\nExecStart=/usr/bin/node ${line}\n`)
  expect(unit?.text).toContain('\nEnvironment=ANNALS_HOME=/data\n')
  expect(unit?.text).toContain('\nRestart=always\n')
})

test('launchd runs the collector on a Mac', () => {
  const [job] = serviceFiles(collector, 'darwin').files
  expect(job?.path).toBe('/home/ana/Library/LaunchAgents/dev.annals.collect.plist')
  expect(job?.text).toContain('<string>/home/ana/50% &amp; more</string>')
  expect(job?.text).toContain('<key>KeepAlive</key><true/>')
})

test('on Windows a person is told of a scheduled task, and nothing is written', () => {
  const task = { ...collector, args: ['--follow'], roots: ['C:\\Users\\Ana B\\.claude'] }
  expect(() => serviceFiles(task, 'win32')).toThrow('On Windows a scheduled task does this')
  const told = (every: 'day' | 'start') => {
    try {
      serviceFiles({ ...task, every }, 'win32')
    } catch (error) {
      return (error as { hint?: string }).hint
    }
    return undefined
  }
  expect(told('start')).toBe(
    'schtasks /create /tn annals-collect /sc onlogon /tr "cmd /c annals collect --follow --root \\"C:\\Users\\Ana B\\.claude\\""',
  )
  expect(told('day')).toMatch('/sc daily ')
})
