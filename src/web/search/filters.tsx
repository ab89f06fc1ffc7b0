import { useState } from 'react'
import { ProjectSelect } from '../project-select.tsx'
import { useNavigate } from '../routing.tsx'
import { Button } from '../ui/button.tsx'
import { Chip, Toggle } from '../ui/chip.tsx'
import { FilterBox } from '../ui/filter-box.tsx'
import { Select } from '../ui/select.tsx'
import { FILTERS } from './filter-names.ts'
import type { SearchParams } from './search-page.tsx'

const ROLES = [
  { value: '', text: 'From anyone' },
  { value: 'user', text: 'From you' },
  { value: 'assistant', text: 'From Claude' },
  { value: 'tool', text: 'From tools' },
  { value: 'system', text: 'From the client' },
] as const

const KINDS = [
  { value: '', text: 'Of any kind' },
  ...['prompt', 'command', 'text', 'thinking', 'tool', 'tool-result', 'error', 'compact-summary', 'title'].map(
    (kind) => ({
      value: kind,
      text: kind.replace('-', ' '),
    }),
  ),
]

const PERIODS = [
  { value: '', text: 'Any time' },
  { value: '24h', text: 'Last 24 hours' },
  { value: '7d', text: 'Last 7 days' },
  { value: '30d', text: 'Last 30 days' },
] as const

const ORDERS = [
  { value: '', text: 'Newest first' },
  { value: 'relevance', text: 'Best first' },
] as const

/** The filters that are on, as chips; and, when asked for, all that there are. */
export function SearchFilters(props: { readonly search: SearchParams }) {
  const { search } = props
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate({ from: '/search' })
  const set = (part: Partial<SearchParams>) => navigate({ search: (now) => ({ ...now, ...part }) })
  const active = FILTERS.filter((name) => search[name] !== undefined)
  return (
    <div className="mb-4 space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
        </Button>
        <Select label="Order" value={known(ORDERS, search.sort)} options={ORDERS} onChange={(sort) => set({ sort })} />
        {active.map((name) => (
          <Chip key={name} label={name} onRemove={() => set({ [name]: undefined })}>
            {chipText(name, search[name] ?? '')}
          </Chip>
        ))}
      </div>
      {isOpen && (
        <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface p-3">
          <Select
            label="Who said it"
            value={known(ROLES, search.role)}
            options={ROLES}
            onChange={(role) => set({ role })}
          />
          <Select label="Kind" value={known(KINDS, search.kind)} options={KINDS} onChange={(kind) => set({ kind })} />
          <ProjectSelect value={search.project} onChange={(project) => set({ project })} />
          <Select
            label="Time"
            value={known(PERIODS, search.since)}
            options={PERIODS}
            onChange={(since) => set({ since })}
          />
          <FilterBox label="Tool" value={search.tool ?? ''} onChange={(tool) => set({ tool })} className="w-28" />
          <FilterBox label="Model" value={search.model ?? ''} onChange={(model) => set({ model })} className="w-28" />
          <Toggle
            on={search.error === 'true'}
            onChange={(on) => set({ error: on ? 'true' : undefined })}
            title="Only what failed"
          >
            Failed
          </Toggle>
          <Toggle
            on={search.exact === 'true'}
            onChange={(on) => set({ exact: on ? 'true' : undefined, regex: undefined })}
            title="The text exactly as it is typed"
          >
            Exact
          </Toggle>
          <Toggle
            on={search.regex === 'true'}
            onChange={(on) => set({ regex: on ? 'true' : undefined, exact: undefined })}
            title="A pattern, in the dialect of ripgrep"
          >
            Regex
          </Toggle>
        </div>
      )}
    </div>
  )
}

function known<Value extends string>(options: readonly { readonly value: Value }[], value: string | undefined): Value {
  return (options.find((option) => option.value === value) ?? (options[0] as { readonly value: Value })).value
}

function chipText(name: string, value: string): string {
  if (value === 'true') return name === 'error' ? 'failed' : name
  return `${name}: ${value}`
}
