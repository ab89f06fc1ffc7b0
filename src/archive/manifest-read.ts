import { join } from 'node:path'
import { readWhole } from '../state/private-file.ts'
import { parseManifest } from './manifest-parse.ts'
import type { Damage, Parsed } from './manifest-reading.ts'

/** What a manifest says, or the one before it where it is incomplete. */
export interface ReadManifest extends Parsed {
  /** What it says is all that was committed up to `sequence`, though more may have been. */
  readonly isSureOfPast: boolean
}

/** The paths of a manifest and of the one before it. */
export function manifestPaths(folder: string): { readonly path: string; readonly before: string } {
  return { path: join(folder, 'manifest'), before: join(folder, 'manifest.before') }
}

/**
 * Reads the manifest of an archive. Where it is damaged, what is not lost of it comes from the one before, with the transactions
 * that only the newer one has; `damage` says what is wrong with the newer one.
 */
export function readManifest(folder: string, hasObjects: () => boolean): ReadManifest {
  const paths = manifestPaths(folder)
  const bytes = readWhole(paths.path)
  const current = parseManifest(bytes)
  if (current.isWhole) return { ...current, isSureOfPast: true }
  const older = readWhole(paths.before)
  const before = parseManifest(older)
  const isNothing = (bytes === undefined || bytes.length === 0) && before.sequence === 0
  if (isNothing && !hasObjects()) return { ...current, isSureOfPast: true }
  const damage = current.damage.length > 0 ? current.damage : [nothingThere(bytes)]
  if (!older || !before.isWhole || before.format !== 2) return { ...current, damage, isSureOfPast: false }
  const later = bytes?.subarray(older.length) ?? Buffer.alloc(0)
  const both = parseManifest(Buffer.concat([older, later]), { isOpen: true })
  const isMore = both.sequence > before.sequence && both.damage.every((one) => one.mended)
  return { ...(isMore ? both : before), damage, isWhole: false, isSureOfPast: true }
}

/** What is wrong with the copy that is kept of the manifest before; `undefined` where nothing is. */
export function flawOfBefore(folder: string): string | undefined {
  const bytes = readWhole(manifestPaths(folder).before)
  if (bytes === undefined) return 'it is missing'
  const { isWhole, format, damage } = parseManifest(bytes)
  if (isWhole && format === 2 && damage.length === 0) return undefined
  return damage[0]?.reason ?? (bytes.length === 0 ? 'it is empty' : 'it is incomplete')
}

function nothingThere(bytes: Buffer | undefined): Damage {
  const what = bytes === undefined ? 'is missing' : bytes.length === 0 ? 'is empty' : 'is incomplete'
  const reason = `it ${what}, but there are files that it should list`
  return { line: 0, offset: 0, length: 0, reason, file: undefined, mended: false }
}
