import { rmSync } from 'node:fs'
import { familyOnDisk } from '../../archive/owners.ts'
import type { Context } from '../../history/context.ts'
import { importedRoots } from '../../history/imported-roots.ts'
import { listDrafts } from '../../state/drafts.ts'
import { clearLeftovers } from './import-stages.ts'

/** Copies of a session that annals itself made, and that were removed. */
export interface CopiesPurged {
  readonly imports: number
  readonly leftovers: readonly string[]
  /** What is being written just now or could not be removed, and may hold the session too. */
  readonly underWay: readonly { readonly file: string; readonly message: string }[]
}

/** The roots of imports that hold something of a session. */
export function importsOf(dataDir: string | undefined, session: string): readonly string[] {
  const roots = dataDir === undefined ? [] : importedRoots(dataDir)
  return roots.filter((root) => familyOnDisk([root], session).length > 0)
}

/** Removes what was imported of a session, whatever root is read, and all that killed imports and exports have left. */
export function purgeCopies({ dataDir, library, now }: Context, session: string): CopiesPurged {
  const imports = importsOf(dataDir, session)
  // A bundle is one session with its family, and so is its root.
  for (const root of imports) rmSync(root, { recursive: true, force: true })
  const leftovers = clearLeftovers(dataDir, library.roots, now)
  const underWay = (dataDir === undefined ? [] : listDrafts(dataDir)).map(({ path, writer }) => {
    const who = writer === undefined ? 'A killed process has left it' : `Process ${writer} is writing it`
    return { file: path, message: `${who}, and it may hold the session. Purge again when it can be removed.` }
  })
  return { imports: imports.length, leftovers, underWay }
}
