import { statSync } from 'node:fs'
import { Failure } from '../../core/failure.ts'
import { momentOf } from '../../core/usage/moment.ts'
import { type SessionFamily, sessionFiles } from '../../edit/session-files.ts'
import type { Context } from '../context.ts'
import { listSessions } from '../list.ts'
import { inScope } from '../scope.ts'
import { editableSession } from './editable.ts'

/** Which sessions are meant, where many are. */
export interface BulkInput {
  readonly olderThan?: string | undefined
  readonly largerThan?: string | undefined
  readonly project?: string | undefined
}

/** Whether sessions are chosen by what they are. */
export function isBulk({ olderThan, largerThan, project }: BulkInput): boolean {
  return olderThan !== undefined || largerThan !== undefined || project !== undefined
}

/** The sessions that fit, but for those that have a star or run. */
export async function bulkSessions(context: Context, input: BulkInput): Promise<readonly SessionFamily[]> {
  const before = input.olderThan === undefined ? undefined : momentOf(input.olderThan, context.now).toISOString()
  const largest = input.largerThan === undefined ? -1 : bytesOf(input.largerThan)
  const fits = inScope({ project: input.project }, context.cwd)
  const items = (await listSessions(context)).filter(
    ({ kind, status, starred, updatedAt, project }) =>
      kind !== 'gone' &&
      status === 'finished' &&
      !starred &&
      fits(project) &&
      (before === undefined || (updatedAt !== null && updatedAt < before)),
  )
  const families = await Promise.all(
    items.flatMap(({ file }) => (file === null ? [] : [editableSession(context, file)])),
  )
  return families.filter((family) => sizeOf(family) > largest)
}

function sizeOf(family: SessionFamily): number {
  return sessionFiles(family).files.reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 }

/** A size as people write it: `50M`, `900k`, `2GB`, or bytes. */
export function bytesOf(text: string): number {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]?)b?$/i.exec(text.trim()) ?? []
  if (number !== undefined) return Number(number) * (UNITS[(unit ?? '').toLowerCase()] ?? 1)
  throw new Failure('USAGE', `"${text}" is not a size.`, { hint: 'Write it as 50M, 900k or a number of bytes.' })
}
