import { basename } from 'node:path'
import type { Found, SmallFile } from './small-file.ts'
import { filesBeside, type OpenFiles, textFile } from './source-file.ts'
import type { Warning } from './warning.ts'

/** A plan that plan mode wrote. */
export interface Plan {
  readonly slug: string
  readonly file: string
  /** Its first heading, else its first line; `null` when it says nothing. */
  readonly title: string | null
  readonly text: string
  readonly modifiedAt: string | null
}

/** Reads the plans of some roots. */
export function readPlans(open: OpenFiles): Found<Plan> {
  const warnings: Warning[] = []
  const items = filesBeside(open, isPlan, (beside) => {
    const file = textFile(beside, warnings)
    return file === undefined ? [] : [toPlan(basename(file.path, '.md'), file)]
  })
  return { items, warnings }
}

/** A test for the paths of plans. */
export function isPlan(path: string): boolean {
  return path === 'plans/' || /^plans\/[^/]+\.md$/.test(path)
}

function toPlan(slug: string, file: SmallFile): Plan {
  const { path, text, modifiedAt } = file
  return { slug, file: path, title: titleOf(text), text, modifiedAt }
}

function titleOf(text: string): string | null {
  let isFenced = false
  let firstLine: string | null = null
  for (const line of text.split('\n')) {
    // A comment in a shell example looks like a heading.
    if (/^ {0,3}(```|~~~)/.test(line)) isFenced = !isFenced
    const heading = isFenced ? null : /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)
    if (heading?.[1]) return heading[1]
    firstLine ??= line.trim() || null
  }
  return firstLine
}
