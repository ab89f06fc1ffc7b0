import { join } from 'node:path'
import type { Warning } from '../disk/warning.ts'
import { syncFolder } from '../state/private-file.ts'
import { changeArchive, readContent } from './archive.ts'
import type { KeptFile } from './kept-state.ts'
import { setContent } from './purge.ts'
import { damagedFailure, makeReady } from './upkeep.ts'

/** What was masked in an archive. */
export interface MaskedArchive {
  /** Contents that were stored anew, all generations of a file counted. */
  readonly contents: number
  readonly problems: readonly Warning[]
}

/** How an archive is masked. */
export interface MaskOptions {
  readonly now: Date
  readonly isMeant: (file: KeptFile) => boolean
  /** The content without what must go; the same buffer where nothing must, `undefined` where that cannot be done. */
  readonly mask: (bytes: Buffer, path: string) => Buffer | undefined
}

/** Stores every content of some files anew without what must go, and removes the objects that held it. */
export function maskArchive(folder: string, { now, isMeant, mask }: MaskOptions): Promise<MaskedArchive> {
  return changeArchive(folder, async (archive) => {
    const { manifest, objects, lock } = archive
    const damage = await makeReady(archive, { now })
    if (damage.length > 0) throw damagedFailure(damage, 'The archive is damaged, so what it holds is not known.')
    const referred = manifest.state.references()
    const problems: Warning[] = []
    let contents = 0
    for (const file of [...manifest.state.files.values()].filter(isMeant)) {
      for (const generation of file.generations) {
        const bytes = readContent(archive, generation)
        const clean = typeof bytes === 'string' ? undefined : mask(bytes, file.path)
        if (clean === undefined) {
          const why = typeof bytes === 'string' ? bytes : 'it holds secrets in an encoding that cannot be masked'
          problems.push({ file: join(file.root, file.path), message: `A kept copy was left unchanged: ${why}.` })
        }
        if (clean === undefined || clean === bytes) continue
        await setContent(archive, file, generation, clean)
        contents += 1
      }
    }
    if (contents === 0) return { contents, problems }
    lock.check()
    manifest.rewrite(now, { isTwice: true })
    const references = manifest.state.references()
    for (const sha256 of referred.keys()) if (!references.has(sha256)) objects.remove(sha256)
    syncFolder(objects.folder)
    return { contents, problems }
  })
}
