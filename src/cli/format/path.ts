import type { Static } from '../../core/schema.ts'
import type { path } from '../../ops/path.ts'
import { shortPath } from '../terminal/human.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { nextSteps } from './parts/lines.ts'
import { shortId } from './parts/names.ts'

/** Where logs lie. The first line is the path, whole, and when nobody looks on it is the only one: `cd "$(annals path)"`. */
export function formatPath(result: Static<typeof path.result>, view: View): readonly string[] {
  const { file, dir, exists, latestSession } = result
  const where = shortPath(file ?? dir, undefined)
  if (view.width === Number.POSITIVE_INFINITY) return [where]
  const missing =
    file === null && !exists ? [view.style.warn(truncate('The folder does not exist yet.', view.width))] : []
  const next = latestSession === null ? [] : nextSteps([`annals show ${shortId(latestSession)}`], view)
  return [where, ...missing, ...next]
}
