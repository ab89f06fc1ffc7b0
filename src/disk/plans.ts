import { join } from 'node:path'
import { type Found, listFolder, readSmallFile, type SmallFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** A plan that plan mode wrote. */
export interface Plan {
  readonly slug: string
  readonly file: string
  /** Its first heading, else its first line; `null` when it says nothing. */
  readonly title: string | null
  readonly text: string
  readonly sizeBytes: number
  readonly modifiedAt: string | null
}

/** Reads the plans of a root. */
export function readPlans(root: string): Found<Plan> {
  const warnings: Warning[] = []
  const items = listFolder(join(root, 'plans'), warnings)
    .filter((entry) => entry.name.endsWith('.md'))
    .flatMap((entry) => {
      const file = readSmallFile(entry.path, warnings)
      return file === undefined ? [] : [toPlan(entry.name.slice(0, -'.md'.length), file)]
    })
  return { items, warnings }
}

function toPlan(slug: string, file: SmallFile): Plan {
  const { path, text, sizeBytes, modifiedAt } = file
  return { slug, file: path, title: titleOf(text), text, sizeBytes, modifiedAt }
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
