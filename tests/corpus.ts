import { existsSync } from 'node:fs'

/**
 * A folder of real logs to test against, named by ANNALS_CORPUS: `<client version>/<scenario>/` roots and published ones.
 * Tests that need it say so on the screen and are skipped without it.
 */
export function corpus(_part: 'client' | 'published'): string | undefined {
  const folder = process.env.ANNALS_CORPUS
  return folder && existsSync(folder) ? folder : undefined
}
