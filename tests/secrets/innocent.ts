import { DATA_FILES } from './innocent/data.ts'
import { LOCK_FILES } from './innocent/locks.ts'
import { OUTPUT_FILES } from './innocent/output.ts'
import { PLACEHOLDER_FILES } from './innocent/placeholders.ts'
import { SOURCE_FILES } from './innocent/source.ts'
import type { Draw } from './kind.ts'
import { randomFrom } from './random.ts'

/** A file, or a part of one, that holds no secret. */
export interface InnocentFile {
  /** The sort of file, for example `cargo-lock`. */
  readonly source: string
  readonly text: string
}

const SOURCES: readonly (readonly [string, Draw])[] = Object.entries({
  ...SOURCE_FILES,
  ...LOCK_FILES,
  ...DATA_FILES,
  ...OUTPUT_FILES,
  ...PLACEHOLDER_FILES,
})

/** Files of every sort in turn until they have at least so many lines. Equal seeds give equal files. */
export function innocentFiles(seed: number, lines: number): readonly InnocentFile[] {
  const files: InnocentFile[] = []
  let written = 0
  for (let nth = 0; written < lines; nth++) {
    const [source, draw] = SOURCES[nth % SOURCES.length] as (typeof SOURCES)[number]
    const text = draw(randomFrom(`${seed}/${source}/${nth}`))
    files.push({ source, text })
    written += text.split('\n').length
  }
  return files
}
