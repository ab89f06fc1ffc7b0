import { visible } from '../session/visible.ts'

/** A menu of a few choices, the browser's own. */
export function Select<Value extends string>(props: {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly text: string }[]
  readonly onChange: (value: Value) => void
}) {
  return (
    <select
      aria-label={props.label}
      value={props.value}
      onChange={(event) => {
        const chosen = props.options.find(({ value }) => value === event.target.value)
        if (chosen) props.onChange(chosen.value)
      }}
      className="h-8 max-w-48 min-w-0 rounded-md border border-line bg-surface px-2 text-sm hover:border-edge"
    >
      {props.options.map(({ value, text }) => (
        <option key={value} value={value}>
          {visible(text)}
        </option>
      ))}
    </select>
  )
}
