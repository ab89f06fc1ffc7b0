import { randomBytes } from 'node:crypto'
import { fchmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { type Problem, withRegular } from '../disk/regular-file.ts'
import type { Warning } from '../disk/warning.ts'
import { asFailure, isOpenToOthers, makeNewFile, makePrivateFolder } from '../state/private-file.ts'

const NAME = 'redaction.key'
const BYTES = 32

/**
 * The key of this machine's placeholders: 32 random bytes that lie in the data folder, readable by its owner alone, and
 * never leave it. Made when it is first asked for; of several that ask at once, all get the same. Where it can be neither read
 * nor kept, one for this run is made, if somebody hears of it.
 */
export function loadRedactionKey(dataDir: string, warn?: (warning: Warning) => void): Uint8Array {
  const path = join(dataDir, NAME)
  try {
    return readKey(path) ?? makeKey(dataDir, path)
  } catch (error) {
    const failure = asFailure(error, dataDir, 'The folder of annals')
    if (!warn || !(failure instanceof Failure) || failure.code !== 'CANNOT_WRITE') throw failure
    warn({ file: path, message: `${failure.message} One is made for this run: placeholders are others each time.` })
    return randomBytes(BYTES)
  }
}

function readKey(path: string): Uint8Array | undefined {
  const read = (fd: number) => {
    const key = readFileSync(fd)
    if (key.length !== BYTES)
      throw new Failure('CANNOT_RUN', `The redaction key ${path} has ${key.length} bytes, not ${BYTES}.`, {
        hint: HINT,
      })
    if (isOpenToOthers(path)) fchmodSync(fd, 0o600)
    return key
  }
  return withRegular(path, read, ({ kind, message }: Problem) => {
    if (kind === 'gone') return undefined
    const code = kind === 'unreadable' ? 'CANNOT_WRITE' : 'CANNOT_RUN'
    throw new Failure(code, `The redaction key ${path} cannot be used. ${message}`, { hint: HINT })
  })
}

const HINT = 'Move it away and a new one is made; placeholders will then be others than before.'

function makeKey(dataDir: string, path: string): Uint8Array {
  makePrivateFolder(dataDir)
  makeNewFile(path, randomBytes(BYTES))
  const key = readKey(path)
  if (key) return key
  throw new Failure('CANNOT_RUN', `The redaction key ${path} vanished while it was made.`)
}
