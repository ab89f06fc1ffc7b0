interface Props {
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly children: string
}

/** Words that unfold something, and fold it again. */
export function FoldButton({ isOpen, onToggle, children }: Props) {
  return (
    <button type="button" aria-expanded={isOpen} onClick={onToggle} className="text-accent underline">
      {children}
    </button>
  )
}
