import { join } from 'node:path'

/** A word as systemd reads it back. */
export function systemdWord(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`
}

/** What launchd is told of a job: what it runs, and when, in its own words. */
export interface LaunchdJob {
  readonly home: string
  readonly label: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly when: readonly string[]
}

/** The file that has launchd run something, and how it is begun and ended at once. */
export function launchdJob({ home, label, words, env, when }: LaunchdJob) {
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
    ...when.map((line) => `  ${line}`),
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
