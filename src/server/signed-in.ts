import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, numberAt, objectsAt, parseJson, stringAt } from '../core/json.ts'
import { makePrivateFolder, readWhole, writePrivateFile } from '../state/private-file.ts'

/** A browser that is signed in: the digest of what it keeps, and until when that is worth something. */
export interface SignedIn {
  readonly digest: Buffer
  readonly untilMs: number
}

/** Where it is written down which browsers are signed in. One process at a time has a port, so each port has its file. */
export interface SignedInFile {
  read(): readonly SignedIn[]
  write(all: readonly SignedIn[]): void
  forget(): void
}

const VERSION = 1
const DIGEST = /^[0-9a-f]{64}$/

/** The file of a port. What cannot be read counts as nobody: they sign in again. Never throws. */
export function signedInFile(folder: string, port: number, onTrouble: (text: string) => void): SignedInFile {
  const path = join(folder, `signed-in-${port}.json`)
  const tried = (act: () => void) => {
    try {
      act()
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      onTrouble(
        `Which browsers are signed in could not be written to ${path} (${reason}): a restart goes by what it says.`,
      )
    }
  }
  return {
    read() {
      const state = readState(path)
      if (!isObject(state) || numberAt(state, 'version') !== VERSION) return []
      return objectsAt(state, 'browsers').flatMap((one) => {
        const [digest = '', untilMs] = [stringAt(one, 'digest'), numberAt(one, 'untilMs')]
        return DIGEST.test(digest) && untilMs !== undefined ? [{ digest: Buffer.from(digest, 'hex'), untilMs }] : []
      })
    },
    write(all) {
      const browsers = all.map(({ digest, untilMs }) => ({ digest: digest.toString('hex'), untilMs }))
      tried(() => {
        makePrivateFolder(folder)
        writePrivateFile(path, Buffer.from(`${JSON.stringify({ version: VERSION, browsers })}\n`))
      })
    },
    forget: () => tried(() => rmSync(path, { force: true })),
  }
}

function readState(path: string): unknown {
  try {
    return parseJson(readWhole(path)?.toString('utf8') ?? '')
  } catch {
    return undefined
  }
}
