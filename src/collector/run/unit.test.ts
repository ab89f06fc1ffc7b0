import { expect, test } from 'vitest'
import { collectUnit } from './unit.ts'

const command = {
  home: '/home/ana',
  program: ['/usr/bin/node', '/opt/an nals/cli.mjs'],
  roots: ['/home/ana/50% & more'],
  env: { ANNALS_HOME: '/data' },
  flags: ['--to', 'folder:/sync'],
}

test('systemd runs the collector always, with every word as it was', () => {
  const [unit] = collectUnit(command, 'linux').files
  expect(unit?.path).toBe('/home/ana/.config/systemd/user/annals-collect.service')
  const line = '"/opt/an nals/cli.mjs" collect --follow --to folder:/sync --root "/home/ana/50%% & more"'
  expect(unit?.text).toContain(`\nExecStart=/usr/bin/node ${line}\n`)
  expect(unit?.text).toContain('\nEnvironment=ANNALS_HOME=/data\n')
  expect(unit?.text).toContain('\nRestart=always\n')
})

test('launchd does the same on a Mac', () => {
  const [job] = collectUnit(command, 'darwin').files
  expect(job?.path).toBe('/home/ana/Library/LaunchAgents/dev.annals.collect.plist')
  expect(job?.text).toContain('<string>/home/ana/50% &amp; more</string>')
  expect(job?.text).toContain('<key>KeepAlive</key><true/>')
})
