import { useOp } from './api.ts'
import { projectGroups } from './project-groups.ts'
import { projectName } from './session-words.ts'
import { Select } from './ui/select.tsx'

/** A menu of the projects, worktrees under their repository. */
export function ProjectSelect(props: {
  readonly value: string | undefined
  /** Whether the menu may be asked for now; it may wait for what is more urgent. */
  readonly isReady?: boolean
  readonly onChange: (key: string | undefined) => void
}) {
  const { data } = useOp('projects', {}, { enabled: props.isReady ?? true })
  const groups = projectGroups(data?.items ?? [])
  const options = groups.flatMap((group) => [
    { value: group.key, text: group.name },
    ...group.parts
      .filter(({ key }) => key !== group.key)
      .map((part) => ({ value: part.key, text: `\u2003${projectName(part)}` })),
  ])
  const isListed = props.value === undefined || options.some(({ value }) => value === props.value)
  return (
    <Select
      label="Project"
      value={props.value ?? ''}
      onChange={(value) => props.onChange(value === '' ? undefined : value)}
      options={[
        { value: '', text: 'All projects' },
        ...options,
        ...(isListed ? [] : [{ value: props.value ?? '', text: props.value ?? '' }]),
      ]}
    />
  )
}
