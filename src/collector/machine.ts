import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { objectAt, parseJson, stringAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { makePrivateFolder, readWhole, syncFolder, writePrivateFile } from '../state/private-file.ts'
import { rememberedStates } from './state.ts'
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
 * Reads who this machine is, or makes it up. The name belongs to this folder on this system: where both its path and its
 * inode are others, or the system has another id, our folders were copied, and a new name is made, so that the two are never
 * taken for one. What a copy cannot be told by from here, the destination tells: see `Visits`.
 */
export function loadMachine(folder: string, system: string | null = systemId()): OwnMachine {
  const kept = parseJson(readWhole(join(folder, NAME))?.toString('utf8') ?? '')
  const id = stringAt(kept, 'id') ?? ''
  const key = Buffer.from(stringAt(kept, 'key') ?? '', 'hex')
  const here = nameOf(system)
  if (!MACHINE_ID.test(id) || key.length !== 32) return write(folder, here, knownId(folder) ?? randomUUID())
  const home = homeOf(folder)
  const bound = objectAt(kept, 'home')
  const isPath = stringAt(bound, 'path') === home.path
  const isInode = home.inode !== '0' && stringAt(bound, 'inode') === home.inode
  const isSystem = here === null || (stringAt(kept, 'system') ?? here) === here
  if (!isSystem || (!isPath && !isInode)) return write(folder, here, randomUUID())
  if (isPath && isInode) return { id, key }
  try {
    return write(folder, here, id, key)
  } catch {
    // Of a folder that only may be read, it is known as it was.
    return { id, key }
  }
}

/** Makes another name and key: the old ones are used by somebody else too. */
export function renewMachine(folder: string, system: string | null = systemId()): OwnMachine {
  return write(folder, nameOf(system), randomUUID())
}

const NAME = 'machine.json'

function write(folder: string, system: string | null, id: string, key: Uint8Array = randomBytes(32)): OwnMachine {
  makePrivateFolder(folder)
  const kept = { version: 1, id, key: Buffer.from(key).toString('hex'), system, home: homeOf(folder) }
  writePrivateFile(join(folder, NAME), Buffer.from(`${jsonText(kept)}\n`))
  syncFolder(folder)
  return { id, key }
}

function homeOf(folder: string): { readonly path: string; readonly inode: string } {
  return { path: realpathSync(folder), inode: String(statSync(folder, { bigint: true }).ino) }
}

/**
 * The id under which was delivered, where the file that says so is lost: what is remembered of a destination names it, and
 * finds the logs again that can no longer be recognised by what was sealed with the key.
 */
function knownId(folder: string): string | undefined {
  const states = rememberedStates(folder).filter(({ machine }) => MACHINE_ID.test(machine))
  return states.sort((a, b) => ((a.savedAt ?? '') < (b.savedAt ?? '') ? 1 : -1))[0]?.machine
}

function nameOf(system: string | null): string | null {
  return system === null ? null : createHash('sha256').update(`annals machine\n${system}`).digest('hex')
}

function systemId(): string | null {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || null
  } catch {
    return null
  }
}
