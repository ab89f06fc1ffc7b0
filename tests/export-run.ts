import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Static } from '../src/core/schema.ts'
import { Library } from '../src/disk/library.ts'
import type { Context } from '../src/history/context.ts'
import { exporting } from '../src/ops/export.ts'

export type ExportInput = Static<typeof exporting.input>

/** What an export works with in tests: a root in a folder, and state of its own beside it. */
export function contextIn(folder: string, more: Partial<Context> = {}): Context {
  return {
    library: new Library({ roots: [join(folder, 'root')] }),
    now: new Date('2026-11-15T12:00:00.000Z'),
    cwd: folder,
    home: folder,
    configDir: join(folder, 'config'),
    dataDir: join(folder, 'data'),
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
    ...more,
  }
}

/** Runs an export, and gives its result. */
export async function runExport(folder: string, input: ExportInput, more: Partial<Context> = {}) {
  const context = contextIn(folder, more)
  try {
    return await exporting.run(context, input)
  } finally {
    context.library.close()
  }
}

/** The files below a folder by their paths inside it, with `/` between. */
export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => relative(folder, join(folder, path)).replaceAll('\\', '/'))
    .sort()
}

/** The text of a file. */
export function textOf(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8')
}
