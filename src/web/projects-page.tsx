import { useOp } from './api.ts'
import { type ProjectGroup, type ProjectLine, projectGroups } from './project-groups.ts'
import { getRouteApi, Link, useNavigate } from './routing.tsx'
import { folderName } from './session-words.ts'
import { Empty } from './ui/empty.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Money } from './ui/figures.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
import { Said } from './ui/said.tsx'
import { Table } from './ui/table.tsx'
import { Time } from './ui/time.tsx'
import { bytesText, countText, plural } from './ui/words.ts'

const route = getRouteApi('/projects')

interface Row {
  readonly project: ProjectLine | undefined
  readonly name: string
  readonly path: string
  /** What an address calls it. */
  readonly key: string
  readonly depth: number
}

/** Projects: worktrees under their repository, the newest first. */
export function ProjectsPage() {
  const { sort } = route.useSearch()
  const navigate = useNavigate({ from: '/projects' })
  const { data, error, refetch } = useOp('projects', {})
  const usage = useOp('usage', { all: true, by: 'project' }, { enabled: data !== undefined })
  const costs = new Map(usage.data?.rows.map((row) => [row.key, row.costUsd]))
  const groups = projectGroups(data?.items ?? [])
  return (
    <Page
      title="Projects"
      aside={data ? <span className="text-sm text-muted">{plural(data.total, 'project')}</span> : null}
    >
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      {data?.total === 0 ? <Empty hint="They appear once Claude Code has run.">There is no project yet.</Empty> : null}
      {groups.length > 0 ? (
        <Table
          label="Projects"
          file="projects"
          sort={{ by: sort, onChange: (by) => navigate({ search: { sort: by }, resetScroll: false }) }}
          rows={groups.flatMap(rowsOf)}
          keyOf={(row) => `${row.project?.root ?? ''} ${row.project?.key ?? row.path}`}
          columns={[
            {
              name: 'Project',
              value: (row) => row.name.toLowerCase(),
              cell: (row) => (
                <span
                  className="block min-w-32 [overflow-wrap:anywhere]"
                  style={{ paddingLeft: `${row.depth * 1.25}rem` }}
                >
                  <Link to="/" search={{ project: row.key }} className="font-medium hover:underline">
                    <Said>{row.name}</Said>
                  </Link>
                  <Said className="block text-xs text-muted">{row.path}</Said>
                </span>
              ),
            },
            {
              name: 'Sessions',
              isFigure: true,
              value: ({ project }) => project?.sessions,
              cell: ({ project }) => (project ? countText(project.sessions) : ''),
            },
            {
              name: 'Agents',
              isFigure: true,
              value: ({ project }) => project?.agents,
              isExtra: true,
              cell: ({ project }) => (project ? countText(project.agents) : ''),
            },
            {
              name: 'Size',
              isFigure: true,
              value: ({ project }) => project?.sizeBytes,
              isExtra: true,
              cell: ({ project }) => (project ? bytesText(project.sizeBytes) : ''),
            },
            {
              name: 'Cost',
              isFigure: true,
              value: ({ project }) => (project ? costs.get(project.key) : undefined),
              cell: ({ project }) =>
                project ? (
                  <Link
                    to="/usage"
                    search={{ project: project.key, since: 'all' }}
                    className="underline decoration-line underline-offset-3 hover:decoration-current"
                  >
                    <Money usd={costs.get(project.key) ?? null} />
                  </Link>
                ) : (
                  ''
                ),
            },
            {
              name: 'Last',
              isFigure: true,
              value: ({ project }) => project?.lastActivity,
              cell: ({ project }) => (project ? <Time iso={project.lastActivity} /> : ''),
            },
          ]}
        />
      ) : null}
    </Page>
  )
}

function rowsOf(group: ProjectGroup): readonly Row[] {
  const head: Row = { project: group.main, name: group.name, path: group.path ?? group.key, key: group.key, depth: 0 }
  const parts = group.parts.map(
    (project): Row => ({
      project,
      name: project.path === null ? project.key : folderName(project.path),
      path: `${project.worktree ? 'worktree, ' : ''}${pathIn(group, project)}`,
      key: project.key,
      depth: 1,
    }),
  )
  return [head, ...parts]
}

/** The path of a part, from its repository on where it lies inside. */
function pathIn({ path: home }: ProjectGroup, { path, key }: ProjectLine): string {
  if (path === null) return key
  return home !== null && path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path
}
