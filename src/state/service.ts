import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../core/failure.ts'

/** Something of annals that the system starts: every day, or always. */
export interface Service {
  readonly name: 'keep' | 'collect'
  readonly every: 'day' | 'start'
  readonly home: string
  readonly program: readonly string[]
  readonly args: readonly string[]
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Files that make the system start it, and what a person runs to have it begin or end now. */
export interface ServiceFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Links that the system looks for, as its own tools would make them. */
  readonly links: readonly { readonly path: string; readonly to: string }[]
  readonly start: string
  readonly stop: string
}

/** The files of a service: of launchd on a Mac, of systemd elsewhere; on Windows a person is told what to do. */
export function serviceFiles(service: Service, platform: NodeJS.Platform = process.platform): ServiceFiles {
  const { program, name, args, roots } = service
  const words = [...program, name, ...args, ...roots.flatMap((root) => ['--root', root])]
  if (platform === 'win32') throw scheduledTask(service)
  return platform === 'darwin' ? launchd(service, words) : systemd(service, words)
}

/** What a person does on Windows, where nothing is written for them. */
function scheduledTask({ name, every, args, roots }: Service): Failure {
  const words = [name, ...args, ...roots.flatMap((root) => ['--root', root])].map((word) =>
    /[\s"]/.test(word) ? `\\"${word}\\"` : word,
  )
  const when = every === 'day' ? 'daily' : 'onlogon'
  return new Failure('CANNOT_RUN', 'On Windows a scheduled task does this, and annals does not make it for you.', {
    hint: `schtasks /create /tn annals-${name} /sc ${when} /tr "cmd /c annals ${words.join(' ')}"`,
  })
}

function systemd({ name, every, home, env }: Service, words: readonly string[]): ServiceFiles {
  const folder = join(home, '.config', 'systemd', 'user')
  const isDaily = every === 'day'
  const does = name === 'keep' ? 'Keep' : 'Collect'
  // Interrupted is how it ends when it is told to.
  const always = ['Restart=always', 'RestartSec=30', 'SuccessExitStatus=130', 'TimeoutStopSec=10']
  const service = [
    '[Unit]',
    `Description=${does} Claude Code sessions (annals)`,
    '',
    '[Service]',
    ...(isDaily ? ['Type=oneshot'] : []),
    ...Object.entries(env).map(([key, value]) => `Environment=${systemdWord(`${key}=${value}`)}`),
    `ExecStart=${words.map(systemdWord).join(' ')}`,
    ...(isDaily ? [] : always),
    'Nice=10',
    '',
    ...(isDaily ? [] : ['[Install]', 'WantedBy=default.target', '']),
  ]
  const timer = [
    '[Unit]',
    `Description=${does} Claude Code sessions every day (annals)`,
    '',
    '[Timer]',
    'OnCalendar=daily',
    'RandomizedDelaySec=30min',
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ]
  const unit = `annals-${name}.${isDaily ? 'timer' : 'service'}`
  const file = (end: string, lines: readonly string[]) => ({
    path: join(folder, `annals-${name}.${end}`),
    text: lines.join('\n'),
  })
  return {
    files: [file('service', service), ...(isDaily ? [file('timer', timer)] : [])],
    links: [{ path: join(folder, `${isDaily ? 'timers' : 'default'}.target.wants`, unit), to: join(folder, unit) }],
    start: `systemctl --user daemon-reload && systemctl --user start ${unit}`,
    stop: `systemctl --user stop ${unit}`,
  }
}

/** A word as systemd reads it back. */
function systemdWord(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`
}

const WHEN = {
  day: [
    '<key>StartCalendarInterval</key><dict><key>Hour</key><integer>12</integer></dict>',
    '<key>RunAtLoad</key><true/>',
  ],
  start: [
    '<key>RunAtLoad</key><true/>',
    '<key>KeepAlive</key><true/>',
    '<key>ThrottleInterval</key><integer>30</integer>',
  ],
}

function launchd({ name, every, home, env }: Service, words: readonly string[]): ServiceFiles {
  const label = `dev.annals.${name}`
  const path = join(home, 'Library', 'LaunchAgents', `${label}.plist`)
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    `  <key>Label</key><string>${label}</string>`,
    '  <key>ProgramArguments</key><array>',
    ...words.map((word) => `    <string>${xmlText(word)}</string>`),
    '  </array>',
    '  <key>EnvironmentVariables</key><dict>',
    ...Object.entries(env).map(([key, value]) => `    <key>${key}</key><string>${xmlText(value)}</string>`),
    '  </dict>',
    ...WHEN[every].map((line) => `  ${line}`),
    '  <key>LowPriorityIO</key><true/>',
    '</dict></plist>',
    '',
  ]
  const files = [{ path, text: text.join('\n') }]
  return { files, links: [], start: `launchctl load ${path}`, stop: `launchctl unload ${path}` }
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Writes the files of a service; those that are as they should be are left alone. */
export function installService({ files, links }: ServiceFiles): void {
  for (const { path, text } of files) {
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const { path, to } of links) {
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { force: true })
    symlinkSync(to, path)
  }
}

/** Removes them. */
export function removeService({ files, links }: ServiceFiles): void {
  for (const { path } of [...links, ...files]) rmSync(path, { force: true })
}
