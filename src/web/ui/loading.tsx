import { useEffect, useState } from 'react'

const PATIENCE_MS = 500

/** The shape of what is to come. Shown only when it takes long enough to be noticed, so that nothing flickers. */
export function Loading(props: { readonly rows?: number; readonly label?: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-busy="true" className="min-h-24">
      {isLate && (
        <>
          <span className="sr-only">{props.label ?? 'Loading …'}</span>
          {Array.from({ length: props.rows ?? 6 }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
            <div key={row} aria-hidden="true" className="flex gap-4 py-2.5">
              <div className="skeleton h-4" style={{ width: `${38 + ((row * 17) % 30)}%` }} />
              <div className="skeleton ml-auto h-4 w-16" />
            </div>
          ))}
        </>
      )}
    </div>
  )
}
