import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launchdJob, systemdWord } from './system-unit.ts'

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
    ...Object.entries(env).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
    `ExecStart=${words.map(systemdWord).join(' ')}`,
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

function launchd({ home, program, roots, env }: TimerCommand): Timer {
  const words = [...program, 'keep', ...roots.flatMap((root) => ['--root', root])]
  const daily = '<key>StartCalendarInterval</key><dict><key>Hour</key><integer>12</integer></dict>'
  const when = [daily, '<key>RunAtLoad</key><true/>']
  return launchdJob({ home, label: 'dev.annals.keep', words, env, when })
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
