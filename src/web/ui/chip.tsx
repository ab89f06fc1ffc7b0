import type { ReactNode } from 'react'
import { Said } from './said.tsx'

/** A filter that is on, with a cross that takes it off. */
export function Chip(props: { readonly children: string; readonly label: string; readonly onRemove: () => void }) {
  return (
    <span className="inline-flex h-7 max-w-full items-center gap-1 rounded-full bg-accent-soft pr-1 pl-3 text-sm text-accent">
      <Said className="truncate">{props.children}</Said>
      <button
        type="button"
        onClick={props.onRemove}
        aria-label={`Remove the filter ${props.label}`}
        className="grid size-5 shrink-0 place-items-center rounded-full hover:bg-surface"
      >
        ×
      </button>
    </span>
  )
}

/** A filter that can be switched on and off. */
export function Toggle(props: {
  readonly children: ReactNode
  readonly on: boolean
  readonly onChange: (on: boolean) => void
  readonly title?: string
}) {
  return (
    <button
      type="button"
      aria-pressed={props.on}
      title={props.title}
      onClick={() => props.onChange(!props.on)}
      className={`h-7 rounded-full border px-3 text-sm whitespace-nowrap ${
        props.on
          ? 'border-accent bg-accent-soft text-accent'
          : 'border-line text-muted hover:border-edge hover:text-ink'
      }`}
    >
      {props.children}
    </button>
  )
}

/** A word that says what something is. */
export function Tag(props: { readonly children: ReactNode; readonly tone?: keyof typeof TONES }) {
  return (
    <span className={`inline-block rounded px-1.5 py-px text-xs whitespace-nowrap ${TONES[props.tone ?? 'plain']}`}>
      {props.children}
    </span>
  )
}

const TONES = {
  plain: 'bg-sunk text-muted',
  accent: 'bg-accent-soft text-accent',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
} as const
