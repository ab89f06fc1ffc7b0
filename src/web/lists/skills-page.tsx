import { type OpResult, useOp } from '../api.ts'
import { Markdown } from '../markdown.tsx'
import { getRouteApi, useNavigate } from '../routing.tsx'
import { Tag, Toggle } from '../ui/chip.tsx'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'
import { plural } from '../ui/words.ts'
import { ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/skills')

type Skill = OpResult<'skills'>['items'][number]

/** Skills, commands and agents that are defined, and how often each was used. */
export function SkillsPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/skills' })
  const { data, error, refetch } = useOp('skills', {})
  const items = search.show === 'unused' ? data?.items.filter(({ uses }) => uses === 0) : data?.items
  return (
    <ListPage
      title="Skills"
      about="The skills, commands and agents that are defined in your Claude folders, and how often your sessions used them."
      noun={['definition', 'definitions']}
      items={items}
      error={error}
      onRetry={() => refetch()}
      search={search}
      onSearch={({ q }, replace) => navigate({ search: (now) => ({ ...now, q }), replace, resetScroll: false })}
      textOf={textOf}
      keyOf={({ path }) => path}
      row={(skill, fold) => (
        <ListRow
          fold={fold}
          title={
            <>
              <Said className="font-medium">{skill.name}</Said>{' '}
              <Said className="text-sm text-muted">{skill.description ?? ''}</Said>
            </>
          }
          aside={skill.uses === 0 ? <span className="text-muted">never used</span> : plural(skill.uses, 'use')}
          facts={
            <>
              <Tag>{skill.kind}</Tag>
              {skill.group !== null ? <Said>{skill.group}</Said> : null}
              {skill.lastUsed !== null ? (
                <span>
                  last used <Time iso={skill.lastUsed} />
                </span>
              ) : null}
            </>
          }
        >
          <Markdown text={skill.body} className="rounded-lg border border-line bg-surface p-4" />
          <p className="mt-1 text-xs text-muted">
            <Said>{skill.path}</Said>
          </p>
        </ListRow>
      )}
      none={['Nothing is defined.', 'Skills, commands and agents lie in the folders of that name in ~/.claude.']}
      filters={
        <Toggle
          on={search.show === 'unused'}
          onChange={(on) => navigate({ search: (now) => ({ ...now, show: on ? 'unused' : undefined }) })}
        >
          Never used
        </Toggle>
      }
    />
  )
}

const textOf = ({ name, kind, description, group }: Skill) => `${name} ${kind} ${description ?? ''} ${group ?? ''}`
