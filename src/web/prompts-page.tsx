import { useState } from 'react'
import { type OpResult, useOp } from './api.ts'
import { ProjectSelect } from './project-select.tsx'
import { getRouteApi, useNavigate } from './routing.tsx'
import { visible } from './session/visible.ts'
import { SessionLink, useTitles } from './session-link.tsx'
import { folderName } from './session-words.ts'
import { Tag } from './ui/chip.tsx'
import { CopyButton } from './ui/copy-button.tsx'
import { Empty } from './ui/empty.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { FilterBox } from './ui/filter-box.tsx'
import { FoldButton } from './ui/fold-button.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
import { Said } from './ui/said.tsx'
import { Time } from './ui/time.tsx'
import { VirtualList } from './ui/virtual-list.tsx'
import { countText, plural } from './ui/words.ts'
import { useScope } from './use-scope.ts'

const route = getRouteApi('/prompts')

type Prompt = Extract<OpResult<'prompts'>['items'][number], { readonly text: string }>

const LIMIT = 10_000

/** Prompts: what was typed, newest first, to be found and used again. */
export function PromptsPage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/prompts' })
  const scope = useScope(search.project)
  const words = (search.q ?? '').split(/\s+/).filter((word) => word !== '')
  const { data, error, refetch } = useOp(
    'prompts',
    { ...scope, ...(words.length > 0 && { words }), limit: LIMIT },
    { enabled: scope !== undefined, keepPrevious: true },
  )
  const prompts = (data?.items ?? []).filter((item): item is Prompt => 'text' in item)
  const titles = useTitles()
  return (
    <Page
      title="Prompts"
      aside={
        data ? (
          <span className="text-sm text-muted">
            {plural(data.total, 'prompt')}
            {data.total > prompts.length ? `, the newest ${countText(prompts.length)} shown` : ''}
          </span>
        ) : null
      }
    >
      <div className="mb-2 flex flex-wrap gap-2">
        <FilterBox
          label="Filter prompts"
          value={search.q ?? ''}
          onChange={(q) => navigate({ search: (now) => ({ ...now, q }), replace: search.q !== undefined })}
          className="w-full xs:w-64"
        />
        <ProjectSelect
          value={search.project}
          onChange={(project) => navigate({ search: (now) => ({ ...now, project }) })}
        />
      </div>
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      {data && prompts.length === 0 ? (
        words.length > 0 || search.project !== undefined ? (
          <Empty hint="Try fewer words.">No prompt fits.</Empty>
        ) : (
          <Empty hint="Claude Code keeps them in history.jsonl.">There is no prompt history.</Empty>
        )
      ) : null}
      {prompts.length > 0 ? (
        <VirtualList
          label="Prompts"
          items={prompts.map((prompt, i) => ({ prompt, key: `${prompt.timestamp ?? ''} ${i}` }))}
          keyOf={({ key }) => key}
          estimate={() => 76}
        >
          {({ prompt }) => <PromptRow prompt={prompt} titles={titles} />}
        </VirtualList>
      ) : null}
    </Page>
  )
}

/** Longer prompts are folded. */
const FOLD = { chars: 400, lines: 5 }

function PromptRow(props: { readonly prompt: Prompt; readonly titles: ReadonlyMap<string, string> }) {
  const { prompt } = props
  const [isOpen, setOpen] = useState(false)
  const isLong = prompt.text.length > FOLD.chars || prompt.text.split('\n').length > FOLD.lines
  return (
    <article className="border-t border-line py-2.5">
      <p
        dir="auto"
        className={`border-s-2 border-prompt-edge ps-3 whitespace-pre-wrap ${isLong && !isOpen ? 'line-clamp-4' : ''}`}
      >
        {visible(prompt.text.trim())}
      </p>
      <div className="mt-0.5 flex items-start gap-x-3 pl-3.5 text-sm text-muted">
        <div className="flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-x-3">
          <Time iso={prompt.timestamp} />
          {prompt.project !== null ? <Said title={prompt.project}>{folderName(prompt.project)}</Said> : null}
          {prompt.pastes.length > 0 ? <span>{plural(prompt.pastes.length, 'paste')}</span> : null}
          {prompt.sent === false ? <Tag tone="warn">never sent</Tag> : null}
          {prompt.sessionId !== null ? <SessionLink session={prompt.sessionId} titles={props.titles} /> : null}
          {isLong ? (
            <FoldButton isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
              {isOpen ? 'less' : 'more'}
            </FoldButton>
          ) : null}
        </div>
        <CopyButton text={prompt.text} label="Copy this prompt" />
      </div>
    </article>
  )
}
