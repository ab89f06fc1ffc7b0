import { useEffect, useMemo } from 'react'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { plural } from '../ui/words.ts'
import { Conversation } from './conversation.tsx'
import { RowView } from './row-view.tsx'
import { SessionProvider, useSession } from './session-context.tsx'
import { type Opening, useGrowing } from './use-growing.ts'
import { type Reading, useFirstPage, useRows } from './use-rows.ts'

/** An agent with more rows than this gets a window of its own to scroll in. */
const MOST_INLINE = 60

/** What an agent did, as a conversation inside the one that started it. It grows as the agent goes on. */
export function NestedConversation({ agentId }: { agentId: string }) {
  const reading = useMemo<Reading>(() => ({ session: `agent-${agentId}`, branch: undefined }), [agentId])
  const { data, error } = useFirstPage(reading, true)
  if (error) return <ErrorBox error={error} />
  if (!data) return <Loading rows={3} label="Reading the agent's log …" />
  return <Inside reading={reading} opening={{ total: data.total, offset: data.sizeBytes }} />
}

function Inside({ reading, opening }: { reading: Reading; opening: Opening }) {
  const outer = useSession()
  const { total, appended } = useGrowing(reading, opening, undefined)
  useEffect(() => outer.watch(appended), [outer.watch, appended])
  const inner = useMemo(
    () => ({ ...outer, ...reading, depth: outer.depth + 1, turnRange: () => undefined }),
    [outer, reading],
  )
  return (
    <SessionProvider value={inner}>
      {total === 0 && <p className="px-3 py-2 text-sm text-muted">Nothing was said in it.</p>}
      {total > 0 && total <= MOST_INLINE && <Inline reading={reading} total={total} />}
      {total > MOST_INLINE && (
        <div className="border-l-2 border-accent sm:ml-3">
          <p className="px-3 pt-1 text-xs text-muted">{plural(total, 'row')}, in a window of their own</p>
          <div className="h-[70dvh]">
            <Conversation reading={reading} total={total} isNested />
          </div>
        </div>
      )}
    </SessionProvider>
  )
}

function Inline({ reading, total }: { reading: Reading; total: number }) {
  const { rowAt, error } = useRows(reading, { first: 0, last: total - 1 }, total)
  if (error) return <ErrorBox error={error} />
  return (
    <div className="space-y-3 border-l-2 border-accent py-2 pr-7 pl-3 sm:ml-3">
      {Array.from({ length: total }, (_, index) => {
        const row = rowAt(index)
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its number
        return row ? <RowView key={index} row={row} /> : <div key={index} className="skeleton h-5 w-2/3" />
      })}
    </div>
  )
}
