import { join } from 'node:path'
import type { Timer, TimerCommand } from './keep-timer.ts'

/** What makes the system run the collector as long as the person is there: systemd, or launchd on a Mac. */
export function collectUnit(
  command: TimerCommand & { readonly flags: readonly string[] },
  platform: NodeJS.Platform = process.platform,
): Timer {
  const { program, roots, flags } = command
  const words = [...program, 'collect', '--follow', ...flags, ...roots.flatMap((root) => ['--root', root])]
  return platform === 'darwin' ? launchd(command, words) : systemd(command, words)
}

const NAME = 'annals-collect'

function systemd({ home, env }: TimerCommand, words: readonly string[]): Timer {
  const folder = join(home, '.config', 'systemd', 'user')
  const path = join(folder, `${NAME}.service`)
  const text = [
    '[Unit]',
    'Description=Collect Claude Code sessions (annals)',
    '',
    '[Service]',
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${words.map(quoted).join(' ')}`,
    'Restart=always',
    'RestartSec=30',
    // Interrupted is how it ends when it is told to.
    'SuccessExitStatus=130',
    'TimeoutStopSec=10',
    'Nice=10',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ]
  return {
    files: [{ path, text: text.join('\n') }],
    links: [{ path: join(folder, 'default.target.wants', `${NAME}.service`), to: path }],
    start: `systemctl --user daemon-reload && systemctl --user start ${NAME}.service`,
    stop: `systemctl --user stop ${NAME}.service`,
  }
}

/** A word as systemd reads it back. */
function quoted(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`
}

function launchd({ home, env }: TimerCommand, words: readonly string[]): Timer {
  const label = 'dev.annals.collect'
  const path = join(home, 'Library', 'LaunchAgents', `${label}.plist`)
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
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><true/>',
    '  <key>ThrottleInterval</key><integer>30</integer>',
    '  <key>LowPriorityIO</key><true/>',
    '</dict></plist>',
    '',
  ]
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
