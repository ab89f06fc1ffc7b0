import { join } from 'node:path'
import type { Timer, TimerCommand } from '../../state/keep-timer.ts'
import { launchdJob, systemdWord } from '../../state/system-unit.ts'

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
    ...Object.entries(env).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
    `ExecStart=${words.map(systemdWord).join(' ')}`,
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

function launchd({ home, env }: TimerCommand, words: readonly string[]): Timer {
  const always = ['<key>KeepAlive</key><true/>', '<key>ThrottleInterval</key><integer>30</integer>']
  const when = ['<key>RunAtLoad</key><true/>', ...always]
  return launchdJob({ home, label: 'dev.annals.collect', words, env, when })
}
