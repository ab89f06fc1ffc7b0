import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { makePrivateFolder, readWhole, syncFolder, writePrivateFile } from '../state/private-file.ts'
import { MACHINE_ID } from './wire.ts'

/** Who this machine is to others: a name made at random, and the key of what it hashes, which never leaves. */
export interface OwnMachine {
  readonly id: string
  readonly key: Uint8Array
}

/** Where all that the collector remembers lies. */
export function collectFolder(dataDir: string): string {
  return join(dataDir, 'collect')
}

/**
 * Reads who this machine is, or makes it up. Our folders may come to another machine with a home that was copied: there the
 * system has another id, and a new name is made, so that the two are never taken for one.
 */
export function loadMachine(folder: string, system: string | undefined = systemId()): OwnMachine {
  const path = join(folder, 'machine.json')
  const kept = parseJson(readWhole(path)?.toString('utf8') ?? '')
  const id = stringAt(kept, 'id') ?? ''
  const key = Buffer.from(stringAt(kept, 'key') ?? '', 'hex')
  const here = system === undefined ? null : createHash('sha256').update(`annals machine\n${system}`).digest('hex')
  const isHere = here === null || (stringAt(kept, 'system') ?? here) === here
  if (MACHINE_ID.test(id) && key.length === 32 && isHere) return { id, key }
  makePrivateFolder(folder)
  const made = { id: randomUUID(), key: randomBytes(32) }
  writePrivateFile(
    path,
    Buffer.from(`${jsonText({ version: 1, id: made.id, key: made.key.toString('hex'), system: here })}\n`),
  )
  syncFolder(folder)
  return made
}

function systemId(): string | undefined {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
