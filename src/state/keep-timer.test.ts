import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { installTimer, keepTimer, removeTimer } from './keep-timer.ts'

const command = {
  home: '/home/ana',
  program: ['/usr/bin/node', '/opt/my annals/cli.mjs'],
  roots: ['/home/ana/.claude', '/home/ana/50% $HOME "x"'],
  env: { ANNALS_HOME: '/home/ana/my state' },
}

test('a timer of systemd runs the command every day, with words that systemd reads back as they are', () => {
  const { files, start } = keepTimer(command, 'linux')
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
  const { files } = keepTimer({ ...command, roots: ['/a & <b>'] }, 'darwin')
  expect(files[0]?.path).toBe('/home/ana/Library/LaunchAgents/dev.annals.keep.plist')
  expect(files[0]?.text).toContain('<string>/a &amp; &lt;b&gt;</string>')
  expect(files[0]?.text).toContain('<key>ANNALS_HOME</key><string>/home/ana/my state</string>')
})

test('is installed twice without harm, enabled as its own tools would, and removed', () =>
  withFolder({}, (home) => {
    const timer = keepTimer({ ...command, home }, 'linux')
    installTimer(timer)
    installTimer(timer)
    const path = join(home, '.config/systemd/user/annals-keep.timer')
    expect(readFileSync(path, 'utf8')).toBe(timer.files[1]?.text)
    expect(readlinkSync(join(home, '.config/systemd/user/timers.target.wants/annals-keep.timer'))).toBe(path)
    removeTimer(timer)
    expect(existsSync(path)).toBe(false)
  }))
