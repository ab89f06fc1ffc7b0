import { Failure } from '../core/failure.ts'
import type { Context } from '../history/context.ts'

/** Secrets leave only when a person at the terminal says so twice: with the flag, and again when asked. */
export async function mayHoldSecrets({ confirm, rootsOnly }: Context, what: string, command: string): Promise<void> {
  if (rootsOnly) {
    const hint = `Run \`annals ${command} … --no-redact\` in a terminal.`
    throw new Failure('CANNOT_RUN', 'Secrets are left in only from the command line.', { hint })
  }
  if (!confirm || (await confirm(`Write ${what} with all passwords, keys and tokens in them?`))) return
  throw new Failure('CANNOT_RUN', 'Nothing was written.', { hint: 'Without --no-redact, secrets are masked.' })
}
