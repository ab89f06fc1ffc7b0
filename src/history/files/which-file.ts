import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { Context } from '../context.ts'

/** A file as a person names it, and the lines of it that they mean. */
export interface NamedLines {
  readonly path: string
  /** Counted from 1; without them the whole file is meant. */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Reads `FILE[:LINE[-LINE]]`. A file that is called so is meant before lines of another. */
export function namedLines({ cwd, rootsOnly }: Context, named: string): NamedLines {
  const [, path, from, to] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(named) ?? []
  if (path === undefined || (!rootsOnly && existsSync(resolve(cwd, named)))) {
    return { path: named, from: undefined, to: undefined }
  }
  const lines = { path, from: Number(from), to: Number(to ?? from) }
  if (lines.from >= 1 && lines.to >= lines.from) return lines
  throw new Failure('BAD_INPUT', `"${named}" is not a range of lines.`, {
    hint: 'Lines are counted from 1: FILE:12, FILE:12-20.',
  })
}

/** The path of the one file that is meant: as it is named from here, else the one that calls touched whose path ends so. */
export function whichFile({ cwd, rootsOnly }: Context, named: string, touched: readonly string[]): string {
  const exact = resolve(cwd, named)
  if (rootsOnly || touched.includes(exact) || !existsSync(exact)) return touchedFile(cwd, named, touched)
  const real = realpathSync(exact)
  return touched.includes(real) ? real : exact
}

/** The same of files that calls touched, whether they are still there or not. */
export function touchedFile(cwd: string, named: string, touched: readonly string[]): string {
  const exact = resolve(cwd, named)
  if (touched.includes(exact)) return exact
  const ends = [...new Set(touched.filter((path) => path.endsWith(`/${named}`)))]
  const [only, ...others] = ends
  if (only !== undefined && others.length === 0) return only
  if (only === undefined) {
    throw new Failure('NOT_FOUND', `No session here touched a file ${named}.`, {
      hint: 'Run `annals files` to see which files were touched.',
    })
  }
  const hint = `Give more of the path: ${ends.slice(0, 5).join(', ')}.`
  throw new Failure('BAD_INPUT', `${ends.length} files are called ${named}.`, { hint })
}
