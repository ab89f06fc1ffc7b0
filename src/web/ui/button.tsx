import type { ComponentProps } from 'react'

const LOOKS = {
  plain: 'border border-line bg-surface hover:border-edge',
  main: 'bg-accent text-on-accent hover:opacity-90',
  quiet: 'text-muted hover:bg-sunk hover:text-ink',
} as const

/** A button. `main` is the one thing to do, `quiet` stands in a row of tools. */
export function Button({
  look = 'plain',
  className = '',
  ...rest
}: ComponentProps<'button'> & { readonly look?: keyof typeof LOOKS }) {
  return (
    <button
      type="button"
      {...rest}
      className={`inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md px-2.5 text-sm disabled:opacity-50 ${LOOKS[look]} ${className}`}
    />
  )
}
