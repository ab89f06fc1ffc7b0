import { type OpResult, useOp } from '../api.ts'
import { Markdown } from '../markdown.tsx'
import { getRouteApi } from '../routing.tsx'
import { projectName } from '../session-words.ts'
import { Tag } from '../ui/chip.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'
import { WithCode } from '../ui/with-code.tsx'
import { bytesText } from '../ui/words.ts'
import { useScope } from '../use-scope.ts'
import { ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/memory')

type Memory = OpResult<'memory'>['items'][number]

/** Memory: what Claude Code remembers of each project. */
export function MemoryPage() {
  const scope = useScope(route.useSearch().project)
  const asked = useOp('memory', { ...scope }, { enabled: scope !== undefined, keepPrevious: true })
  return (
    <ListPage
      title="Memory"
      about="What Claude Code remembers of your projects from one session to the next."
      noun={['note', 'notes']}
      items={asked.data?.items}
      asked={asked}
      hasProjects
      textOf={textOf}
      keyOf={({ file }) => file}
      row={(memory, fold) => (
        <ListRow
          fold={fold}
          title={
            <>
              <Said className="font-medium">{memory.name}</Said>{' '}
              <bdi dir="auto" className="text-sm text-muted">
                <WithCode>{firstLine(memory.text)}</WithCode>
              </bdi>
            </>
          }
          facts={
            <>
              <Time iso={memory.modifiedAt} />
              {memory.project ? <Said title={memory.project.path ?? ''}>{projectName(memory.project)}</Said> : null}
              {memory.agent !== null ? <Tag>agent {memory.agent}</Tag> : null}
              <span>{bytesText(memory.sizeBytes)}</span>
              <CopyButton text={memory.text} label={`Copy ${memory.name}`} />
            </>
          }
        >
          <Markdown text={memory.text} className="rounded-lg border border-line bg-surface p-4" />
          <p className="mt-1 text-xs text-muted">
            <Said>{memory.file}</Said>
          </p>
        </ListRow>
      )}
      none={['Nothing is remembered.', 'Claude Code writes notes into the memory folder of a project.']}
    />
  )
}

const textOf = ({ name, text, project }: Memory) => `${name} ${project?.path ?? ''} ${text}`

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => /\w/.test(one) && !one.startsWith('---'))
  return (line ?? '').replace(/^#+\s*/, '').slice(0, 120)
}
