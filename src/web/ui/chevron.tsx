/** The sign of a fold. */
export function Chevron({ isOpen }: { isOpen: boolean }) {
  return (
    <span aria-hidden="true" className="w-3 shrink-0 text-[0.625rem] text-muted">
      {isOpen ? '▼' : '▶'}
    </span>
  )
}
