import { useEffect, useState } from 'react'
import { fetchOp } from '../api.ts'
import { Loading } from '../ui/loading.tsx'
import { OpenStateProvider } from './open-state.tsx'
import { RowView } from './row-view.tsx'
import type { Row } from './types.ts'
import type { Reading } from './use-rows.ts'

/** More rows than this do not go through a browser's printing in one piece. */
const MOST_ROWS = 6000
const PAGE = 500

/** On paper everything is open. */
const ALL_OPEN = { get: () => true, set: () => {} }

/** All rows of a conversation, one below the other, for the printer. Closes itself when that is done. */
export function PrintView({ reading, total, onDone }: { reading: Reading; total: number; onDone: () => void }) {
  const [rows, setRows] = useState<readonly Row[]>()
  const { session, branch } = reading
  useEffect(() => {
    let isWanted = true
    const fetchAll = async () => {
      const found: Row[] = []
      for (let from = 0; from < Math.min(total, MOST_ROWS) && isWanted; from += PAGE) {
        const page = await fetchOp('read', { session, ...(branch !== undefined && { branch }), from, count: PAGE })
        found.push(...page.rows)
      }
      if (isWanted) setRows(found)
    }
    fetchAll().catch(onDone)
    return () => {
      isWanted = false
    }
  }, [session, branch, total, onDone])
  useEffect(() => {
    if (!rows) return
    window.addEventListener('afterprint', onDone)
    // Once it is drawn.
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => window.print()))
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('afterprint', onDone)
    }
  }, [rows, onDone])
  return (
    <section aria-label="Print view" data-print className="mx-auto w-full max-w-3xl space-y-2 px-6 py-4">
      {!rows && <Loading rows={6} label="Getting ready to print …" />}
      <OpenStateProvider state={ALL_OPEN}>
        {rows?.map((row) => (
          <RowView key={row.row} row={row} />
        ))}
      </OpenStateProvider>
      {total > MOST_ROWS && (
        <p>
          The first {MOST_ROWS} of {total} rows. An export as HTML has them all.
        </p>
      )}
    </section>
  )
}
