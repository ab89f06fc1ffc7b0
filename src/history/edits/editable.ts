import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import { listFolder } from '../../disk/small-file.ts'
import type { SourceEntry } from '../../disk/source.ts'
import type { SessionFamily } from '../../edit/session-files.ts'
import type { Context } from '../context.ts'
import { keyOfFiles } from '../families.ts'
import { type FoundSession, findSession } from '../find.ts'
import { historyOf } from '../history.ts'
import type { OpenedSession } from '../open.ts'

/** Finds a session that can be edited; one that cannot be is refused with the reason. */
export async function editableSession(context: Context, name: string): Promise<SessionFamily> {
  return editableFound(context, await findSession(context, name), name)
}

/** The same for one that was found. */
export async function editableFound(
  context: Context,
  { library, files, agent }: FoundSession,
  name = files.id,
): Promise<SessionFamily> {
  if (agent) {
    const hint = `Its session: ${files.id}`
    throw new Failure('BAD_INPUT', `${name} is an agent. Only whole sessions are edited.`, { hint })
  }
  if (library !== context.library) {
    const hint = 'Name its root with --root.'
    throw new Failure('CANNOT_RUN', `${name} is not in a folder that annals reads, so it is not edited.`, { hint })
  }
  const { log } = files
  if (!log || log.gone || !existsSync(log.path)) {
    const hint = `annals keep restore ${files.id} restores it, if it was kept.`
    throw new Failure('CANNOT_RUN', `Session ${files.id} is no longer in ${files.root}: there is nothing to edit.`, {
      hint,
    })
  }
  if (context.dataDir !== undefined && files.root.startsWith(context.dataDir + sep)) {
    const hint = 'Import it into a root first: annals import FILE --to ROOT'
    throw new Failure('CANNOT_RUN', `Session ${files.id} was imported: Claude Code does not know it.`, { hint })
  }
  return familyOf(context, files, log)
}

/** The same for one that was opened. */
export function editableOpened(context: Context, { library, files, agent }: OpenedSession): Promise<SessionFamily> {
  return editableFound(context, { library, files, agent: agent ? { id: agent.id, log: undefined } : null })
}

async function familyOf(context: Context, files: SessionFiles, log: SourceEntry): Promise<SessionFamily> {
  const { id, root, project } = files
  const flat = files.agents.flatMap(({ log: own, meta }) => [own, meta])
  const infos = await (await historyOf(context).refresh()).sessions.infos([id])
  return {
    id,
    root,
    log: log.path,
    cwd: infos.get(keyOfFiles(files))?.project.path ?? null,
    flatAgents: flat.flatMap((entry) =>
      entry && !entry.gone && dirname(entry.path) === project.dir ? entry.path : [],
    ),
    plans: await plansOf(context, root, log.path),
  }
}

/** The plans of a session that no other has: forks share one. */
async function plansOf(context: Context, root: string, log: string): Promise<readonly string[]> {
  const notes = await (await historyOf(context).refresh()).sessions.logs()
  const folder = log.replace(/\.jsonl$/, '')
  const isOwn = (path: string) => path === log || path.startsWith(folder + sep)
  const others = notes.filter((note) => note.root === root && note.agent === null && !isOwn(note.path))
  const shared = new Set(others.flatMap(({ slugs }) => slugs))
  const slugs = (notes.find(({ path }) => path === log)?.slugs ?? []).filter((slug) => !shared.has(slug))
  return listFolder(join(root, 'plans'), [])
    .filter(({ name }) => slugs.some((slug) => name === `${slug}.md` || name.startsWith(`${slug}-agent-`)))
    .map(({ path }) => path)
}
