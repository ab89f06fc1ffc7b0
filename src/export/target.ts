import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { Context } from '../history/context.ts'
import type { Exporter } from './exporter.ts'

/** Where an export goes; a file without a path gets its own name in the folder that the person is in. */
export type Target =
  | { readonly kind: 'stream'; readonly write: (bytes: Uint8Array) => void }
  | { readonly kind: 'file'; readonly path: string | undefined }
  | { readonly kind: 'folder'; readonly path: string }

interface Wish {
  readonly to: string
  readonly out?: string | undefined
  readonly agents?: string | undefined
}

/** Where so many sessions go: one file where they fit into one, else a folder. */
export function targetOf(context: Context, { to, out, agents }: Wish, writer: Exporter, count: number): Target {
  const isOneFile = isTable(writer, count) || count === 1
  if (out === '-') {
    if (!isOneFile) {
      throw new Failure('USAGE', `${count} sessions do not fit on standard output.`, {
        hint: 'Name a folder with --out.',
      })
    }
    if (context.output) return { kind: 'stream', write: context.output }
    throw new Failure('USAGE', 'Standard output is already used for --json.', {
      hint: 'Leave out --json, or name a file with --out.',
    })
  }
  const isLinked = agents === 'linked' && writer.session !== undefined
  if (out === undefined) {
    if (!isTable(writer, count) && isOneFile && !isLinked) return { kind: 'file', path: undefined }
    const day = context.now.toISOString().slice(0, 10)
    return { kind: 'folder', path: resolve(context.cwd, `annals-${to}-${day}`) }
  }
  const path = resolve(context.cwd, out)
  if (/[\\/]$/.test(out) || isFolder(path) || !isOneFile) return { kind: 'folder', path }
  if (isLinked) {
    throw new Failure('USAGE', 'Agents in files of their own need a folder.', {
      hint: `Name one: --out ${out}/`,
    })
  }
  return { kind: 'file', path }
}

/** Whether a writer puts so many sessions together. */
export function isTable(writer: Exporter, count: number): boolean {
  return writer.table !== undefined && (writer.session === undefined || count > 1)
}

/** The folder that is there already. */
export function folderOf(target: Target): string | undefined {
  return target.kind === 'folder' && isFolder(target.path) ? target.path : undefined
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
