import { type Static, Type } from '../core/schema.ts'
import { familyBytes, type ProjectFiles } from '../disk/inventory.ts'
import { repositoryOf } from '../disk/repository.ts'
import type { Context } from '../history/context.ts'
import { keyOfFiles, listedSessions } from '../history/families.ts'
import { newestFirst } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { listSessions } from '../history/list.ts'
import { type ProjectInfo, projectInfos } from '../history/projects.ts'
import { inScope, isBelow } from '../history/scope.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { familyKey } from '../index/queries/family-key.ts'
import { defineOp } from './op.ts'

const ProjectItem = Type.Object({
  root: Type.String(),
  key: Type.String('Its folder name under projects/'),
  dir: Type.String(),
  path: NullableString,
  repository: NullableString,
  worktree: Type.Boolean(),
  sessions: Type.Integer('Conversations, as `sessions` lists them'),
  hidden: Type.Integer('Logs that hold no conversation: `sessions --all` lists them'),
  agents: Type.Integer(),
  sizeBytes: Type.Integer(),
  firstActivity: NullableString,
  lastActivity: NullableString,
})

/** A session with its agents, as far as it is known. */
const FamilyShape = Type.Object({
  project: Type.String(),
  root: Type.String(),
  session: Type.String(),
  title: NullableString,
  kind: Type.String('conversation, …, or gone'),
  updatedAt: NullableString,
  costUsd: nullable(Type.Number()),
  agents: Type.Array(
    Type.Object({ id: Type.String(), type: NullableString, class: Type.String(), description: NullableString }),
  ),
  sizeBytes: nullable(Type.Integer('null where its log is gone')),
})

const SCOPES = ['local', 'relevant', 'under', 'around', 'global'] as const

export const projects = defineOp({
  name: 'projects',
  group: 'Find',
  teamStore: 'read',
  summary: 'List projects, worktrees under their repository.',
  examples: ['annals projects', 'annals projects --under ~/code --families', 'annals projects --scope relevant'],
  input: Type.Object({
    scope: Type.Optional(
      Type.Choice(
        SCOPES,
        'local (this folder), relevant (it and its parents), under (it and below), around (both), global (all, the default)',
      ),
    ),
    under: Type.Optional(Type.String('Only projects in this folder and below')),
    families: Type.Optional(Type.Boolean('Also the sessions of each project, with their agents')),
  }),
  positional: [],
  result: Type.Object({
    items: Type.Array(ProjectItem),
    total: Type.Integer(),
    families: Type.Array(FamilyShape, 'With --families: their sessions, the newest first'),
  }),
  async run(context, input) {
    const history = historyOf(context)
    await history.refresh('facts', context.progress)
    const infoOf = await projectInfos(history)
    const isMeant = inScope({ under: input.under }, context.cwd)
    const all = context.library.projects()
    const found = withRepositories(
      all.map((project) => ({ project, item: toItem(project, infoOf(project.root, project.key)) })),
    )
      .filter(({ item }) => isIn(input.scope ?? 'global', item.path, context.cwd) && isMeant(item))
      .sort((a, b) => ((a.item.lastActivity ?? '') < (b.item.lastActivity ?? '') ? 1 : -1))
    return {
      items: found.map(({ item }) => item),
      total: found.length,
      families: input.families
        ? await familiesOf(
            context,
            found.map(({ project }) => project),
          )
        : [],
    }
  },
})

function toItem(project: ProjectFiles, info: ProjectInfo): Static<typeof ProjectItem> {
  const { path, firstAt, lastAt, conversations } = info
  const logs = project.sessions.flatMap(({ log }) => log ?? [])
  const sessions = logs.filter((log) => conversations.has(log.path)).length
  const repository = path === null ? undefined : repositoryOf(path)
  const flatBytes = project.flatAgents.reduce((sum, agent) => sum + (agent.log?.sizeBytes ?? 0), 0)
  return {
    root: project.root,
    key: project.key,
    dir: project.dir,
    path,
    repository: repository?.repository ?? null,
    worktree: repository?.worktree ?? false,
    sessions,
    hidden: logs.length - sessions,
    agents: project.flatAgents.length + project.sessions.reduce((sum, session) => sum + session.agents.length, 0),
    sizeBytes: flatBytes + project.sessions.reduce((sum, session) => sum + familyBytes(session), 0),
    firstActivity: firstAt,
    lastActivity: lastAt,
  }
}

/** A folder that is gone shows no repository any more, unless a worktree of it still leads there. */
function withRepositories<T extends { readonly item: Static<typeof ProjectItem> }>(found: readonly T[]): readonly T[] {
  const repositories = new Set(found.map(({ item }) => item.repository))
  return found.map((one) => {
    const { path, repository } = one.item
    return repository === null && repositories.has(path) ? { ...one, item: { ...one.item, repository: path } } : one
  })
}

/** The sessions of projects, the newest first, those whose logs are gone too. */
async function familiesOf(context: Context, all: readonly ProjectFiles[]): Promise<Static<typeof FamilyShape>[]> {
  const isMeant = new Set(all.map(({ root, key }) => `${root}\0${key}`))
  const sizes = new Map(
    (await listedSessions(historyOf(context))).map((files) => [keyOfFiles(files), familyBytes(files)]),
  )
  const sessions = (await listSessions(context)).filter(({ root, project }) => isMeant.has(`${root}\0${project.key}`))
  return sessions.toSorted(newestFirst).map(({ id, root, project, title, kind, updatedAt, costUsd, agents }) => ({
    project: project.key,
    root,
    session: id,
    title,
    kind,
    updatedAt,
    costUsd,
    agents: (agents ?? []).map((agent) => ({ ...agent })),
    sizeBytes: sizes.get(familyKey(root, project.key, id)) ?? null,
  }))
}

function isIn(scope: (typeof SCOPES)[number], path: string | null, cwd: string): boolean {
  if (scope === 'global') return true
  if (path === null) return false
  const isAbove = isBelow(cwd, path)
  const isUnder = isBelow(path, cwd)
  if (scope === 'local') return path === cwd
  if (scope === 'relevant') return isAbove
  return scope === 'under' ? isUnder : isAbove || isUnder
}
