import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'

/** Something that can be copied as a whole: the button comes when one points at it or goes there by keys. */
export function Copyable({
  text,
  label,
  children,
}: {
  text: string | (() => string)
  label: string
  children: ReactNode
}) {
  return (
    <div className="group/copy relative">
      {children}
      <span className="absolute top-1 right-1 rounded-md bg-surface opacity-0 shadow-sm group-focus-within/copy:opacity-100 group-hover/copy:opacity-100 pointer-coarse:opacity-100 print:hidden">
        <CopyButton text={text} label={label} />
      </span>
    </div>
  )
}
