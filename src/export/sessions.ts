import { between } from '../core/usage/moment.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Context } from '../history/context.ts'
import { keyOfFiles, listedSessions } from '../history/families.ts'
import { type FoundSession, findSession, newestFirst } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { listSessions } from '../history/list.ts'
import { inScope, type ScopeInput } from '../history/scope.ts'
import { isListed } from '../history/view/session-item.ts'

/** Which sessions are meant. */
export interface ChosenInput extends ScopeInput {
  readonly sessions?: readonly string[] | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Whether there is a filter: it says as much as a name does. */
export function isNarrowed({ project, under, here, since, until }: ChosenInput): boolean {
  return [project, under, since, until].some((one) => one !== undefined) || here === true
}

/** The sessions that are named, or all conversations that the filters leave, the newest first. */
export async function chosenSessions(context: Context, input: ChosenInput): Promise<readonly FoundSession[]> {
  if (input.sessions?.length) {
    const found = await Promise.all(input.sessions.map((name) => findSession(context, name)))
    return [...new Map(found.map((one) => [`${keyOfFiles(one.files)}\0${one.agent?.id ?? ''}`, one])).values()]
  }
  const { library } = context
  const fits = inScope(input, context.cwd)
  const inTime = between(input, context.now)
  const listed = await listedSessions(historyOf(context))
  const byPath = new Map<string | undefined, SessionFiles>(listed.map((files) => [files.log?.path, files]))
  return (await listSessions(context))
    .filter((item) => isListed(item) && fits(item.project) && inTime(item.updatedAt))
    .toSorted(newestFirst)
    .flatMap((item) => {
      const files = item.file === null ? undefined : byPath.get(item.file)
      return files ? [{ library, files, agent: null }] : []
    })
}
