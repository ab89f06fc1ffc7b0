import type { Static } from '../../core/schema.ts'
import type { exporting } from '../../ops/export.ts'
import type { keep } from '../../ops/keep.ts'
import { lastPart } from '../format/parts/names.ts'
import { bytes, plural } from '../terminal/human.ts'

/** What an export wrote into this folder, in a sentence. */
export function exportedText(made: Static<typeof exporting.result>): string {
  const [first] = made.files
  if (!first) return made.problems[0]?.message ?? 'Nothing was written.'
  const masked = Object.values(made.redactions).reduce((sum, count) => sum + count, 0)
  const secrets = masked === 0 ? 'no secrets found' : `${plural(masked, 'secret')} masked`
  return `Wrote ${lastPart(first.file)} · ${bytes(made.bytes)} · ${secrets}`
}

/** What was kept, in a sentence. */
export function keptText({ files, bytesRaw, damage, problems }: Static<typeof keep.result>): string {
  if (damage.length > 0) return 'The archive is damaged, nothing was kept. Run annals keep verify --repair.'
  if (problems[0]) return problems[0].message
  return files === 0 ? 'Already kept.' : `Kept ${plural(files, 'file')}, ${bytes(bytesRaw)}.`
}
