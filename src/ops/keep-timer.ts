import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files that make the system start a command every day, and what a person runs to have it begin now. */
export interface Timer {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Links that the system looks for, as its own tools would make them. */
  readonly links: readonly { readonly path: string; readonly to: string }[]
  readonly start: string
  readonly stop: string
}

/** How annals is started by a timer. */
export interface TimerCommand {
  readonly home: string
  readonly program: readonly string[]
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The timer that keeps sessions every day: of launchd on a Mac, of systemd elsewhere. */
export function keepTimer(command: TimerCommand, platform: NodeJS.Platform = process.platform): Timer {
  return platform === 'darwin' ? launchd(command) : systemd(command)
}

const NAME = 'annals-keep'

function systemd({ home, program, roots, env }: TimerCommand): Timer {
  const folder = join(home, '.config', 'systemd', 'user')
  const words = [...program, 'keep', ...roots.flatMap((root) => ['--root', root])]
  const service = [
    '[Unit]',
    'Description=Keep Claude Code sessions (annals)',
    '',
    '[Service]',
    'Type=oneshot',
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${words.map(quoted).join(' ')}`,
    'Nice=10',
    '',
  ]
  const timer = [
    '[Unit]',
    'Description=Keep Claude Code sessions every day (annals)',
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
  const path = join(folder, `${NAME}.timer`)
  return {
    files: [
      { path: join(folder, `${NAME}.service`), text: service.join('\n') },
      { path, text: timer.join('\n') },
    ],
    links: [{ path: join(folder, 'timers.target.wants', `${NAME}.timer`), to: path }],
    start: `systemctl --user daemon-reload && systemctl --user start ${NAME}.timer`,
    stop: `systemctl --user stop ${NAME}.timer`,
  }
}

/** A word as systemd reads it back. */
function quoted(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`
}

function launchd({ home, program, roots, env }: TimerCommand): Timer {
  const label = `dev.annals.keep`
  const words = [...program, 'keep', ...roots.flatMap((root) => ['--root', root])]
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    `  <key>Label</key><string>${label}</string>`,
    '  <key>ProgramArguments</key><array>',
    ...words.map((word) => `    <string>${escaped(word)}</string>`),
    '  </array>',
    '  <key>EnvironmentVariables</key><dict>',
    ...Object.entries(env).map(([name, value]) => `    <key>${name}</key><string>${escaped(value)}</string>`),
    '  </dict>',
    '  <key>StartCalendarInterval</key><dict><key>Hour</key><integer>12</integer></dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>LowPriorityIO</key><true/>',
    '</dict></plist>',
    '',
  ]
  const path = join(home, 'Library', 'LaunchAgents', `${label}.plist`)
  return {
    files: [{ path, text: text.join('\n') }],
    links: [],
    start: `launchctl load ${path}`,
    stop: `launchctl unload ${path}`,
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Writes the files of a timer; those that are as they should be are left alone. */
export function installTimer({ files, links }: Timer): void {
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
export function removeTimer({ files, links }: Timer): void {
  for (const { path } of [...links, ...files]) rmSync(path, { force: true })
}
