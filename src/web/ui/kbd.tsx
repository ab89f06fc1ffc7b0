/** A key, as it is on the keyboard. */
export function Kbd(props: { readonly children: string }) {
  return (
    <kbd className="inline-block min-w-5 rounded border border-line bg-sunk px-1 text-center font-mono text-xs text-muted">
      {props.children}
    </kbd>
  )
}
