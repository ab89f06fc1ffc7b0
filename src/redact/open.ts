import { randomBytes } from 'node:crypto'
import type { Warning } from '../disk/warning.ts'
import { loadRedactionKey } from './key.ts'
import { createRedactor, type Redactor } from './redactor.ts'
import { readRedactionSettings } from './settings.ts'

/** Where a redactor finds what belongs to the person: their settings, and the key of the machine. */
export interface RedactionFolders {
  readonly configDir?: string | undefined
  readonly dataDir?: string | undefined
  /** Hears that the key holds for this run only; without it, that is a failure. */
  readonly warn?: ((warning: Warning) => void) | undefined
}

/** The redactor that every way out uses: with the user's own patterns, and placeholders of this machine. */
export function openRedactor({ configDir, dataDir, warn }: RedactionFolders): Redactor {
  // Without a place to keep a key, placeholders hold for this run.
  const key = dataDir === undefined ? randomBytes(32) : loadRedactionKey(dataDir, warn)
  return createRedactor({ key, ...readRedactionSettings(configDir) })
}
