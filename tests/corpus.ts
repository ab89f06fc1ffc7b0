import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A folder of real logs to test against, named by ANNALS_CORPUS: `<client version>/<scenario>/` roots and published ones.
 * Gives it if it holds `part`.
 */
export function corpus(part: string): string | undefined {
  const folder = process.env.ANNALS_CORPUS
  return folder && existsSync(join(folder, part)) ? folder : undefined
}

/** What a test says on the screen when it is skipped for want of logs. */
export const WITHOUT_CORPUS = ' (skipped: ANNALS_CORPUS names no folder with these logs)'
