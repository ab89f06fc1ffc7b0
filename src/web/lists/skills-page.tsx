import { type OpResult, useOp } from '../api.ts'
import { Markdown } from '../markdown.tsx'
import { getRouteApi } from '../routing.tsx'
import { Tag } from '../ui/chip.tsx'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'
import { WithCode } from '../ui/with-code.tsx'
import { plural } from '../ui/words.ts'
import { ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/skills')

type Skill = OpResult<'skills'>['items'][number]

/** Skills, commands and agents that are defined, and how often each was used. */
export function SkillsPage() {
  const { show } = route.useSearch()
  const asked = useOp('skills', {})
  const items = asked.data?.items.filter(({ uses }) => show !== 'unused' || uses === 0)
  return (
    <ListPage
      title="Skills"
      about="The skills, commands and agents that are defined in your Claude folders, and how often your sessions used them."
      noun={['definition', 'definitions']}
      items={items}
      asked={asked}
      textOf={textOf}
      keyOf={({ path }) => path}
      row={(skill, fold) => (
        <ListRow
          fold={fold}
          title={
            <>
              <Said className="font-medium">{skill.name}</Said>{' '}
              <bdi dir="auto" className="text-sm text-muted">
                <WithCode>{skill.description ?? ''}</WithCode>
              </bdi>
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
      other={{ show: 'unused', text: 'Never used' }}
    />
  )
}

const textOf = ({ name, kind, description, group }: Skill) => `${name} ${kind} ${description ?? ''} ${group ?? ''}`
