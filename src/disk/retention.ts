import { join } from 'node:path'
import { fieldAt, numberAt } from '../core/json.ts'
import { comparable } from '../core/time.ts'
import { readJsonFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** How long the client keeps logs before it sweeps them. */
export interface Retention {
  readonly days: number
  /** The settings file that says so; `null` for the client's default. */
  readonly setIn: string | null
  readonly warnings: readonly Warning[]
}

/** What the client does when no settings file says otherwise. */
const DEFAULT_RETENTION_DAYS = 30

/** Where an administrator's settings stand on this system. */
const MANAGED_SETTINGS =
  process.platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-settings.json'
    : process.platform === 'win32'
      ? 'C:\\Program Files\\ClaudeCode\\managed-settings.json'
      : '/etc/claude-code/managed-settings.json'

/** Finds the retention in force for a root: managed settings, then local ones, then the user's. Reads nothing else of them. */
export function readRetention(root: string, managedSettings: string = MANAGED_SETTINGS): Retention {
  const warnings: Warning[] = []
  for (const path of [managedSettings, join(root, 'settings.local.json'), join(root, 'settings.json')]) {
    // People keep their settings elsewhere and link them here.
    const value = readJsonFile(path, warnings, { followLinks: true })?.value
    const days = numberAt(value, KEY)
    if (days !== undefined && days >= 1) return { days, setIn: path, warnings }
    if (fieldAt(value, KEY) !== undefined) {
      warnings.push({ file: path, message: `"${KEY}" is not a number of days of at least 1 and was ignored.` })
    }
  }
  return { days: DEFAULT_RETENTION_DAYS, setIn: null, warnings }
}

const KEY = 'cleanupPeriodDays'

/** When a file last written at `modifiedAtMs` may be swept. A period no calendar holds ends at the last day that sorts as text. */
export function expiresAt(modifiedAtMs: number, days: number): string {
  return new Date(comparable(modifiedAtMs + days * 86_400_000)).toISOString()
}
